"""Small wikitext and what a reader of the rendered page sees, by language; a line between cases in each table.

Written from what MediaWiki and the templates of each Wikipedia show. A measure stands as it was written, without its
conversion; so a case of {{convert}} is shorter than the page. White space is compared as single spaces.
"""

MARKUP = {
    "a [[b|c]] d [[e]]s": "a c d es",
    "[[CSI: Miami]] and [[GTA: San Andreas]]": "CSI: Miami and GTA: San Andreas",
    "[[:Category:Cats]] x [[:en:Cats|cats]]": "Category:Cats x cats",
    "[[fr:Chat]][[simple:Cat]][[zh-min-nan:Niau]]x": "x",
    "[[Bild:A.jpg|thumb|200px|Ein Bild]]x": "x",
    "[[Imagen:A.png|miniaturadeimagen|derecha|Una [[imagen]]]]x": "x",
    "[[Изображение:А.jpg|мини|слева|200пкс|Вид]]x": "x",
    "[[画像:a.jpg|サムネイル|説明]]x": "x",
    "[[文件:a.svg|缩略图|说明]]x": "x",
    "[[파일:a.svg|섬네일|설명]]x": "x",
    "[[ملف:a.jpg|تصغير|وصف]]x": "x",
    "[[Spelled Otherwise:a.jpg|whatever]]x": "x",
    "[[Foo:bar|thumb|left|words]]x": "x",
    "[[2001: A Space Odyssey]] x": "2001: A Space Odyssey x",
    "[[wikt:cat|cat]] [[Media:a.ogg|sound]] [[Talk:Bar]]": "cat sound Talk:Bar",
    "[[File:A.jpg|thumb|a [[b]]<ref>{{c|d=[e]}}</ref> [http://x.com z]]] after": "after",
    "# one\n#: more\n# two\n#* sub\n: indent": "one more two sub indent",
    "x\n<!-- c -->\ny": "x y",
    "{| class='wikitable sortable'\n! scope='col' | A !! class='unsortable' | B\n|-\n! scope='row' | c\n| d || <ref>x</ref>\n|}": "A B c d",  # noqa: E501
    "[[Bush (band)|]] [[b]]'s": "Bush (band) b's",
    "-{zh-hans:计算机;zh-hant:電腦}- -{x}-": "计算机 x",
    "-{H|zh-cn:博客;zh-tw:部落格}-博客": "博客",
    "-{zh-cn:软件; zh-tw:軟體;}-工程": "软件工程",
    "a <code>a = ''; b = d[[0]]; main()</code> b": "a a = ''; b = d[[0]]; main() b",
    "<code>printf()</code>": "printf()",
    "use printf() now": "use printf() now",
    "<code><nowiki>{{x}} '''b'''</nowiki></code>": "{{x}} '''b'''",
    "<code>[[printf]]</code> <code>''name''</code>": "printf name",
    "<nowiki>[[a]] ''b'' &lt; {{c|d}}</nowiki>": "[[a]] ''b'' < {{c|d}}",
    "<pre>a ''b''\n| c\n\n  [[d]] &amp;</pre>": "a ''b'' | c [[d]] &",
    "<syntaxhighlight lang='c'>if (a[[0]] && b) { c = ''; } // &lt;</syntaxhighlight>": "if (a[[0]] && b) { c = ''; } // &lt;",  # noqa: E501
    "<source lang=python inline>x = {'a': [[1]]}</source> is": "x = {'a': [[1]]} is",
    " | a\n | b": "| a | b",
    "x <math>\\frac{a}{b}</math> y <chem>H2O</chem>": "x \\frac{a}{b} y H2O",
    "; term : definition": "term definition",
    "; [[CSI: Miami]] : a series": "CSI: Miami a series",
    "; see http://x.org/a : b": "see http://x.org/a b",
    "<ul><li>a<li>b</ul>c": "a b c",
    "<ol><li>a</li><li>b <ul><li>c</li></ul></li></ol>": "a b c",
    "so\u00adft z\u200bw \u200erl\u200f": "soft zw rl",
    "می\u200cخواهم": "می\u200cخواهم",
    "東京（{{lang|en|}}）は（<ref>x</ref>、a）": "東京は（a）",
    "a (<ref>x</ref>) b": "a b",
    "a ({{unknown thing}}, 1900) b": "a (1900) b",
    "a ({{unknown thing}}; {{another unknown}}) b": "a b",
    "a () b, , c": "a () b, , c",
    "'''a''' ''b'' '''''c''''' L''''arbre'''": "a b c L'arbre",
    "[http://x.org words] [http://x.org] http://y.org": "words http://y.org",
    "[//x.org words] [mailto:a@b.c mail]": "words mail",
    "a<br>b<br/>c<hr>d": "a b c d",
    "{| class='wikitable'\n|+ Caption\n! A !! B\n|-\n| style='x' | c || [[d|e]]\n|}\nf": "Caption A B c e f",
    "{|\n| a {{!}} b\n|-\n|c\n|}": "b c",
    "{|\n|\n* x\n* y\n| z\n|}": "x y z",
    "{|\n| a\n{|\n| inner\n|}\n| b\n|}": "a inner b",
    "<table><tr><th>a</th><td>b | c</td></tr></table>": "a b | c",
    "{| class='navbox'\n| x\n|}a": "a",
    '{| class="infobox"\n| x\n|}\na': "a",
    "{|\n! colspan=2 | a\n|-\n| b || c": "a b c",
    "<div style='display:none'>x</div>y <span style=\"display: none\">z</span>": "y",
    "a<ref name='x>y'>b</ref>c": "ac",
    "== A ==\n=== B ===\nc": "A B c",
    "=== A == \nb": "= A b",
    "__NOTOC__a __KEIN_INHALTSVERZEICHNIS__ __init__": "a __init__",
    "a{{#if:x|b|c}} {{#if: |b|c}}": "ab c",
    "{{lc:ABC}} {{uc:abc}} {{ucfirst:abc}}": "abc ABC Abc",
    "<poem>\nfirst\nsecond\n</poem>": "first second",
    "<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>": "漢字(かんじ)",
    "a <unknown> b < c": "a <unknown> b < c",
    "<gallery>\nFile:a.jpg|x\n</gallery>b": "b",
    "&lt;ref&gt; &amp;nbsp; AT&T": "<ref> &nbsp; AT&T",
    "{{{1|x}}} y": "x y",
    "a <!-- b --> c\n<!-- d -->\ne": "a c e",
    "[[a#b|]] [[#c|d]]": "a#b d",
    "<includeonly>a</includeonly><noinclude>b</noinclude>": "b",
    "-{zh-hant|丙}- -{R|乙}- -{A|zh-cn:博客;zh-tw:部落格}-": "丙 乙 博客",
    "{{#expr: 2 + 3 * 4}} {{#expr: 10 / 4 round 0}} {{#expr: 2 ** 999999}}{{#expr: 1/0}}x": "14 3 x",
    # mediawiki.org, Help:Extension:ParserFunctions
    "{{#expr: -8 mod 3}} {{#expr: -8 mod -3}} {{#expr: 8 mod 2.7}} {{#expr: 8.9 mod 3}}": "-2 -2 0 2",
    "{{#expr: 9.876 round 2}} {{#expr: 1234 round -2}} {{#expr: 4.5 round 0}}": "9.88 1200 5",
    "{{#expr: -4.5 round 0}}": "-5",
    "{{#ifexpr: 1 > 2 | a | b }} {{plural:2|one|many}} {{plural:1|one|many}}": "b many one",
    "{{#switch: b | a = 1 | b | c = 2 | #default = 3 }} {{#switch: z | a = 1 | 9}} {{#switch: 2 | 1 = a | 2 = b}}": "2 9 b",  # noqa: E501
    "{{padleft:7|3|0}} {{#iferror: x | bad | good}} {{formatnum:1,234.5|R}}": "007 good 1234.5",
    "a{{br}}b {{music|flat}} {{angbr|a}} {{e|6}}": "a b ♭ ⟨a⟩ ×106",
    "{|\n|\n== A ==\n| b\n|}": "A b",
    "<poem>\na\n:b\n</poem>": "a b",
    "'''a'''<sup>''b''</sup>'''''c'''''": "abc",
    "{{(!}}\n{{!}} a {{!!}} b\n{{!)}}": "a b",
    "F{{music|sharp}}, B{{bémol}}, C{{dièse}}": "F♯, B♭, C♯",
    "{{bgcolor|red|a}} {{colors|red|blue|b}} {{script|Cyrl|c}} {{rtl-lang|ar|d}}": "a b c d",
    "{{quote|Words.|source=Book}} a{{in5}}b {{•}}": "Words. — Book a b •",
}

BY_LANGUAGE = {
    "en": {
        "({{langx|de|Wort}})": "(German: Wort)",
        "{{lang|fr|mot}} {{Template:lang|de|Wort}}": "mot Wort",
        "{{lang|code=fr|text=mot}}": "mot",
        "{{transliteration|ja|kana}} {{tlit|ru|slovo}}": "kana slovo",
        "{{convert|1/2|in}} {{convert|5|km|mi}} {{cvt|10|to|20|m}}": "1/2 in 5 km 10 to 20 m",
        "{{birth date|1950|1|2}} {{death date and age|2000|3|4|1950|1|2}}": "January 2, 1950 March 4, 2000",
        "{{birth date|df=yes|1950|1|2}}": "2 January 1950",
        "{{start date|1999|12|31}}": "December 31, 1999",
        "aged {{age|1950|1|2|2000|1|1}}": "aged 49",
        "{{sclass|Iowa|battleship}} {{HMS|Victory|1765}} {{USS|Enterprise|CV-6|2}} {{ship|HMS|Hood|51}}": "Iowa-class battleship HMS Victory (1765) USS Enterprise HMS Hood (51)",  # noqa: E501
        "{{ubl|a|b}}": "a b",
        "{{glossary}}{{term|x}}{{defn|y}}{{glossary end}}": "x y",
        "{{quote box|quote=Words.|author=A}}": "Words. — A",
        "{{blockquote|text=Words.}}": "Words.",
        "{{math|x + y {{=}} 1}} {{mvar|x}}": "x + y = 1 x",
        "({{zh|s=中国|p=Zhōngguó}})": "(simplified Chinese: 中国; pinyin: Zhōngguó)",
        "({{Korean|hangul=서울|hanja=京}})": "(Korean: 서울; Hanja: 京)",
        "{{chem2|H2O}} {{chem|H|2|O}}": "H2O H2O",
        "{{nihongo|strike|打ち|uchi}} {{nihongo3|strike|打ち|uchi}}": "strike (打ち, uchi) uchi (打ち, strike)",
        "{{US$|5 million}} {{£|3}} {{INR}}5 {{currency|5|USD}}": "US$5 million £3 ₹5 US$5",
        "{{as of|2015|3}}, x {{as of|2015|lc=y}}": "As of March 2015, x as of 2015",
        "a{{snd}}b{{mdash}}c {{ndash}} d": "a – b—c – d",
        "{{circa|1500}} {{fl.|1400}} {{reign|1|2}}": "c. 1500 fl. 1400 r. 1–2",
        "{{frac|1|2}} {{sfrac|1|2}}": "1/2 1/2",
        "{{val|1234.5|u=km}} {{formatnum:12345}}": "1,234.5 km 12,345",
        "{{abbr|a|b}} {{nowrap|c d}} {{small|e}}": "a c d e",
        "{{ill|A B|de|C}} {{interlanguage link|A|fr|B|lt=X}}": "A B X",
        "{{flag|France}} {{flagicon|France}}x {{FRA}}": "France x France",
        "a{{citation needed|date=2010}}{{sfn|A|2000}}.": "a.",
        "{{sortname|Ann|Lee}} {{sort|x|y}} {{dts|2000|1|2}} {{nts|1000}}": "Ann Lee y January 2, 2000 1,000",
        "{{IPAc-en|b|ɜːr|ˈ|l|ɪ|n}} {{IPA|/x/}} {{respell|bur|LIN}}": "/bɜːrˈlɪn/ /x/ bur-LIN",
        "{{coord|52|31|N|13|24|E}} {{coord|52|31|N|13|24|E|display=title}}": "52°31′N 13°24′E",
        "{{ordinal|2}} {{ordinal|11}}": "2nd 11th",
        "{{Infobox person|name=x}}{{Short description|y}}a": "a",
        "{{hlist|a|b}}": "a, b",
        "{{ISBN|123}}": "ISBN 123",
        "{{'}}s {{\"}}": "'s \"",
        "{{linktext|中|国}}": "中国",
        "{|\n|{{yes}}\n|{{no|Never}}\n| {{n/a}}\n|}": "Yes Never N/A",
        "{{plainlist|\n* a\n* b\n}}": "a b",
        "{{sic}} {{sic|hte}}": "[sic] hte [sic]",
        "{{circa}} 1500": "c. 1500",
        "{{bibleverse|John|3:16}}": "John 3:16",
        "{{URL|https://x.org|X}}": "X",
        "({{IPA|de|bɛʁˈliːn|lang|De-Berlin.ogg}}) ({{IPA-fr|paʁi|lang|x.ogg}}) ({{IPA-ru|mɐskˈva}})": "(German: [bɛʁˈliːn]) (French: [paʁi]) (Russian pronunciation: [mɐskˈva])",  # noqa: E501
        "({{langx|ru|Москва|Moskva}}) ({{lang-rus|Москва|r=Moskva|p=mɐskˈva}})": "(Russian: Москва, romanized: Moskva) (Russian: Москва, romanized: Moskva, IPA: [mɐskˈva])",  # noqa: E501
        "{{OldStyleDate|2 February|1905|20 January}} {{OldStyleDateNY|22 February 1732|11 February 1731}}": "2 February [O.S. 20 January] 1905 22 February 1732 [O.S. 11 February 1731]",  # noqa: E501
        "{{nihongo|'''Tokyo'''|東京|Tōkyō|extra=lit. x}} ({{circa|1500|1510}})": "Tokyo (東京, Tōkyō, lit. x) (c. 1500 – c. 1510)",  # noqa: E501
        "{{val|6.022|(14)|e=23|u=mol}} {{val|3.5|0.2|ul=kg}} {{height|ft=6|in=2}}": "6.022(14)×1023 mol 3.5±0.2 kg 6 ft 2 in",  # noqa: E501
        "{{blockquote|To be.|[[Shakespeare]]|Hamlet}}": "To be. — Shakespeare, Hamlet",
        "{{flagathlete|[[Usain Bolt]]|JAM}} {{flagIOC|FRA|2012 Summer}} {{TCH}} {{GDR}} {{ENG}} {{URS}}": "Usain Bolt (JAM) France Czechoslovakia East Germany England Soviet Union",  # noqa: E501
        "{{marriage|Jane Doe|1990|2000|end=div}} {{AD|79}} {{BCE|44}} {{okina}}a {{key press|Ctrl|C}}": "Jane Doe (m. 1990; div. 2000) AD 79 44 BCE ʻa Ctrl+C",  # noqa: E501
        "{{bibleverse|1|John|2}} {{bibleverse||John|3:16|KJV}}": "1 John 2 John 3:16",
        "{{Chinese|s=x|t=y}}a {{duration|m=3|s=20}}": "a 3:20",
        "{{track gauge|1435mm}} {{columns-list|2|\n* a\n* b\n}} {{ABW}} {{Script/Arabic|ب}}{{relevance inline}}": "1,435 mm a b Aruba ب",  # noqa: E501
        "{{quote|To be.|Hamlet}} {{legend|#f00|Red area}} {{IPAc-pl|w|a|r}} {{rws|London Euston}} {{ket|ψ}}": "To be. — Hamlet Red area [war] London Euston |ψ⟩",  # noqa: E501
        "({{langx|tt|x}}, {{lang-cu|y}}, {{lang-ku|z}})": "(Tatar: x, Church Slavonic: y, Kurdish: z)",
        "'''Ann Lee''' {{post-nominals|country=GBR|OBE|FRS}} was": "Ann Lee OBE FRS was",
        "{{nihongo|'''Naruto'''|ナルト|lead=yes}}, {{nihongo|'''Tokyo'''|東京|Tōkyō|lead=yes}}": "Naruto (Japanese: ナルト), Tokyo (Japanese: 東京, Hepburn: Tōkyō)",  # noqa: E501
        "({{langx|ja|東京|Tōkyō|capital}}; {{langx|he|שלום|shalom|label=none}})": "(Japanese: 東京, romanized: Tōkyō, lit. 'capital'; שלום, shalom)",  # noqa: E501
        "({{IPAc-en|UK|ˈ|l|ʌ|n}}, {{IPAc-en|US|x|audio=a.ogg}}; {{IPAc-en|pron|b}})": "(UK: /ˈlʌn/, US: /x/; pronounced /b/)",  # noqa: E501
        "{{val|-1.6|e=-19|u=C}}, {{val|5|-|10|u=km}}": "−1.6×10−19 C, 5–10 km",
        "{{sic|hide=y|occured}} see {{section link|A|B}}, {{slink||C}}": "occured see A § B, § C",
        "{{by|1998}} {{mlby|1998}} {{percentage|1|4}} {{percent|1|3|1}}": "1998 1998 25% 33.3%",
        "{{goal|12||45+1|pen.}} {{cr|IND}} {{flagIOCathlete|[[Ann Lee]]|USA|2008 Summer}} {{TPE}}": "12', 45+1' (pen.) India Ann Lee (USA) Chinese Taipei",  # noqa: E501
        "{{dts|1945|May|8}} {{dts|format=dmy|1945|5|8}} {{age in years and days|1990|1|1|2000|2|5}}": "May 8, 1945 8 May 1945 10 years, 35 days",  # noqa: E501
        "{{para|a|b}} {{tag|ref}} {{tag|br|single}} {{tlx|c|d}} {{unichar|00A9}}": "|a=b <ref>...</ref> <br /> {{c|d}} U+00A9 © COPYRIGHT SIGN",  # noqa: E501
        "{{quote box|title=A|quote=Words.|author=B|source=C}} {{blockquote|Text.|D|E|F}}": "A Words. — B, C Text. — D, E, F",  # noqa: E501
        "{{verse translation|lang=fr|Un mot|A word}} {{rquote|right|Words.|Ann}}": "Un mot A word Words. — Ann",
        "{{IPA|ja|kʲoːto}}, {{IPA|fr|paʁi|-}}, {{IPA|de|x|pron}}, {{crossreference|(see a)}} {{keypress|Alt|G}}": "Japanese pronunciation: [kʲoːto], [paʁi], pronounced [x], (see a) Alt+G",  # noqa: E501
    },
    "de": {
        "{{lang|en|word}} {{enS|word}} ({{frS|mot}})": "word englisch word (französisch mot)",
        "({{laS|verbum}}; {{ruS|слово|slowo}})": "(lateinisch verbum; russisch слово slowo)",
        "{{Zitat|Text|Autor}}": "„Text“ – Autor",
        "{{Zitat|Text=Das Wort.|Autor=A|Quelle=B}}": "„Das Wort.“ – A: B",
        '{{"|Wort}}': "„Wort“",
        "{{FRA}} {{DEU|#}}x": "Frankreich x",
        "{{Höhe|1234|DE-NN|link=true}}": "1234 m",
        "{{nowrap|a b}} {{0}}1": "a b 1",
        "{{formatnum:12345.6}}": "12.345,6",
        "{{IPA|ˈvɔʁt}}": "[ˈvɔʁt]",
        "{{Hauptartikel|X}}\na{{Belege fehlen}}": "a",
        "[[Datei:a.jpg|mini|Bild]]a [[Kategorie:B]]": "a",
        "{{lang-en|word}}": "englisch word",
        "{{Sortname|Ann|Lee}}": "Ann Lee",
        "{{Personendaten|NAME=x}}": "",
        "{{Zitat-en|All the world|Die ganze Welt|Autor=S}}": "„All the world“ „Die ganze Welt“ – S",
        "{{Audio|x.ogg|hören}} {{§|242|BGB}} {{Bibel|Gen|1|1}} {{DatumZelle|1999-01-02}}": "hören § 242 BGB Gen 1,1 2. Januar 1999",  # noqa: E501
        "{{Farbe|red|a}}": "a",
        "{{Höhe|1234|DE-NHN|link=true}} {{CO2}} {{URS}} {{faS|تهران}} {{kaS|თბილისი|Tbilissi}}": "1234 m ü. NHN CO2 Sowjetunion persisch تهران georgisch თბილისი Tbilissi",  # noqa: E501
        "{{s. u.}} {{Art.|3|GG|juris}} {{formatnum:1234}} {{FRA-1919}}": "s. u. Art. 3 GG 1.234 Frankreich",
        "{{elS|Αθήνα|Athína}} {{Zitat|Sprache=en|Text=To be.|Übersetzung=Sein.|Autor=S}}": "griechisch Αθήνα Athína „To be.“ „Sein.“ – S",  # noqa: E501
        "{{BMU}} {{ABW}}": "Bermuda Aruba",
        "({{zh|t=毛澤東|v=毛泽东|p=Máo Zédōng}}, {{enS|word|de=Wort}})": "(chinesisch 毛澤東 / 毛泽东, Pinyin Máo Zédōng, englisch word ‚Wort‘)",  # noqa: E501
        '{{Bibel|Joh|3|16|LUT}} {{§§|1|BGB}} {{"|Word|lang=en}}': "Joh 3,16 LUT §§ 1 BGB “Word”",
        "{{CHN}}, {{TPE}}, {{KOR}}": "Volksrepublik China, Chinesisch Taipeh, Südkorea",
    },
    "fr": {
        "{{unité|3797|m}} et {{nombre|3797}} et {{unité|1000 habitants}}": "3 797 m et 3 797 et 1 000 habitants",
        "le {{date-|1 janvier 2000}} et le {{date|12|mars|1999}}": "le 1er janvier 2000 et le 12 mars 1999",
        "au {{s|XIX|e}} et au {{s-|II|e}}": "au XIXe siècle et au IIe siècle",
        "au {{XIXe siècle}}, le {{1er}} et la {{2e}}, François {{Ier}}": "au XIXe siècle, le 1er et la 2e, François Ier",  # noqa: E501
        "{{sp|XV|e|au|XVI|e}} {{-s|II|e}}": "XVe au XVIe siècle IIe siècle av. J.-C.",
        "en {{av JC|50}} et {{langue|en|word}} {{lang|de|Wort}}": "en 50 av. J.-C. et word Wort",
        "{{citation|Texte}}": "« Texte »",
        "{{citation bloc|Texte.|Auteur}}": "« Texte. » — Auteur",
        "{{incise|a}} b": "– a – b",
        "{{lien|lang=en|trad=Foo|fr=Truc|texte=Machin}} {{Lien|Bidule}}": "Machin Bidule",
        "{{heure|8|30}} {{nobr|a b}} {{euro|5}}": "8 h 30 a b 5 €",
        "{{n°}}5 {{p.|12}} {{Mme}} X": "no 5 p. 12 Mme X",
        "{{drapeau|France}} a {{référence nécessaire|b}}": "a b",
        "{{Date de naissance|1|2|1950}}": "1er février 1950",
        "{{formatnum:98659.5}}": "98 659,5",
        "{{tmp|38.1|°C}} {{1000000|x}}": "38,1 °C",
        "[[Fichier:a.jpg|vignette|b]]c [[Catégorie:D]]": "c",
        "{{Article détaillé|x}}\na": "a",
        "{{lang-en|word}}": "anglais : word",
        "{{refnec|a}} {{exp|2}}": "a 2",
        "{{s2|XV|e|XVI|e}}": "XVe et XVIe siècles",
        "XX{{e}} et 1{{er}}, {{Ier siècle av. J.-C.}}, {{1er janvier}}, {{Mme|X}}": "XXe et 1er, Ier siècle av. J.-C., 1er janvier, Mme X",  # noqa: E501
        "{{citation étrangère|lang=en|Hello}}, {{quand|récemment}}": "« Hello », récemment",
        "{{France}} et {{Allemagne}}": "France et Allemagne",
        "{{MM.}} A et {{Dr}} B": "MM. A et Dr B",
        "{{petit|a}} {{japonais|a|あ|b}}": "a a (あ, b)",
        "{{date|14 juillet 1789|en France}}, {{14 juillet}}, {{-52}}, {{-Ve siècle}}, {{IIIe siècles}}": "14 juillet 1789, 14 juillet, 52 av. J.-C., Ve siècle av. J.-C., IIIe siècles",  # noqa: E501
        "{{s2|XVIII|XIX}} {{s-|XII|ème}} {{sp-|XVIII|e|au|XIX|e}}": "XVIIIe et XIXe siècles XIIe siècle XVIIIe au XIXe siècle",  # noqa: E501
        "{{smn|1897491|7}} {{euro|77.80}}{{-}}": "1 897 491 77,80 €",
        "({{API|/ˈlʌndən/}}) ({{API|paʁi}}) {{Lang|en|texte=word}}": "(/ˈlʌndən/) ([paʁi]) word",
        "{{Louis XIV}} et {{François Ier}}, {{URSS}}, {{France football}}, {{unité/2|5|m}}": "Louis XIV et François Ier, Union soviétique, France, 5 m",  # noqa: E501
        "{{japonais|Tokyo|東京|Tōkyō|litt. « capitale »}} {{Pr|B}} {{ap JC|50}} {{abrd|c|d}}{{,}}": "Tokyo (東京, Tōkyō, litt. « capitale ») Pr B 50 apr. J.-C. c",  # noqa: E501
        "{{colonnes|nombre=2|\n* a\n* b\n}} {{M€|5}}": "a b 5 M€",
        "{{formule chimique|C|6|H|12}} {{Précision nécessaire|mot}} {{liste horizontale|a|b}}": "C6H12 mot a, b",
        "{{heure|14|30|15}}, {{dunité|21|29.7|cm}}, {{unité|1.5|m|e=6}}, {{nombre|-5|°C}}": "14 h 30 min 15 s, 21 × 29,7 cm, 1,5 × 106 m, −5 °C",  # noqa: E501
        "{{Date de décès|5|mai|2000|1|janvier|1950}}, {{incise|a|stop}}.": "5 mai 2000 (à 50 ans), – a.",
        "{{primo}}, {{2o}}, {{op. cit.}}, {{Mmes|A}}, {{passage promotionnel|b}}, {{s|V|e|av. J.-C.}}, {{XVe-XVIe siècles}}": "1o, 2o, op. cit., Mmes A, b, Ve siècle av. J.-C., XVe-XVIe siècles",  # noqa: E501
    },
    "es": {
        "{{lang|en|word}} {{esd|1 m}} {{unidad|5|km}}": "word 1 m 5 km",
        "{{siglo|XIX||s}} y {{siglo|V|a}}": "siglo XIX y siglo V a. C.",
        "{{fecha|2|1|1950}} {{fecha de nacimiento|3|12|1960}}": "2 de enero de 1950 3 de diciembre de 1960",
        "{{cita|Texto|Autor}}": "«Texto» Autor",
        "{{bandera|España}}a {{formatnum:12345}} {{formatnum:1234}}": "a 12 345 1234",
        "500 {{a. C.}} {{versalita|xix}}": "500 a. C. xix",
        "({{lang-en|word}})": "(en inglés, word)",
        "a{{cita requerida}}. {{AP|x}}": "a.",
        "[[Archivo:a.jpg|miniatura|b]]c[[Categoría:D]]": "c",
        "{{nihongo|a|あ|b}} {{sic}}": "a (あ, b) [sic]",
        "{{ESP}}": "España",
        "{{fecha|5|mayo|1990}} {{fecha|5|5}}": "5 de mayo de 1990 5 de mayo",
        "{{small|a}} {{nowrap|b c}}": "a b c",
        "{{convertir|5|km|mi}}": "5 km",
        "los siglos {{siglo|XV}} y {{siglo|XVI}}, {{Siglo|XIX||S}}": "los siglos XV y XVI, Siglo XIX",
        "{{unidad|5|km|2}} {{unidad|12345.6|km}} ({{AFI|maˈðɾið}}) ({{AFI|[x]}})": "5 km2 12 345,6 km ([maˈðɾið]) ([x])",  # noqa: E501
        "{{cita requerida|una frase}} 50 {{d. C.}} {{Versalitas|xx}} {{número romano|19}} {{URSS}}": "una frase 50 d. C. xx XIX Unión Soviética",  # noqa: E501
        "{{fecha de fallecimiento|3|3|2000|2|1|1950}} {{edad|1|2|1950|3|4|2000}} años": "3 de marzo de 2000 (50 años) 50 años",  # noqa: E501
        "{{nihongo|'''Tokio'''|東京|Tōkyō|extra=lit. x}} {{fracción|1|2}}": "Tokio (東京, Tōkyō, lit. x) 1/2",
        "{{julgregfecha|25|4|1840}}, {{julgregfecha|22|12|1914}}": "25 de abriljul./ 7 de mayo de 1840greg., 22 de diciembre de 1914jul./ 4 de enero de 1915greg.",  # noqa: E501
        "({{AFI|/maˈðɾið/}}, {{Audio|x.ogg|escuchar}})": "(/maˈðɾið/, escuchar)",
        "{{coord|40|25|N|3|42|W}} a{{NF|1950|2000|Lee, Ann}} {{lang-zh|北京}}": "40°25′N 3°42′O a en chino, 北京",
    },
    "it": {
        "{{lang|en|word}} {{M|5||km}} {{formatnum:12345}}": "word 5 km 12.345",
        "l{{'}}''opera'' {{citazione necessaria|a}}": "l'opera a",
        "{{inglese|word}} {{lang-de|Wort}}": "in inglese word in tedesco Wort",
        "{{Citazione|Testo.|Autore}}": "«Testo.» (Autore)",
        "500 {{a.C.}} {{maiuscoletto|xix}}": "500 a.C. xix",
        "{{data nascita|1|2|1950}}": "1º febbraio 1950",
        "a{{senza fonte}}. {{vedi anche|x}}": "a.",
        "[[Immagine:a.jpg|miniatura|b]]c[[Categoria:D]]": "c",
        "{{nowrap|a b}} {{ITA}}": "a b Italia",
        "{{IPA|/x/}} {{nihongo|a|あ|b}}": "[/x/] a (あ, b)",
        "{{Bio\n|Nome = Mario\n|Cognome = Rossi\n|Sesso = M\n|LuogoNascita = Roma\n|GiornoMeseNascita = 1º gennaio\n|AnnoNascita = 1950\n|LuogoMorte = Milano\n|GiornoMeseMorte = 3 marzo\n|AnnoMorte = 2000\n|Epoca = 1900\n|Attività = attore\n|Attività2 = regista\n|Nazionalità = italiano\n}}": "Mario Rossi (Roma, 1º gennaio 1950 – Milano, 3 marzo 2000) è stato un attore e regista italiano.",  # noqa: E501
        "{{Bio|Nome=Anna|Cognome=Bianchi|Sesso=F|LuogoNascita=Parigi|GiornoMeseNascita=2 febbraio|AnnoNascita=1980|AnnoMorte=|Attività=attrice|Attività2=cantante|Attività3=modella|Nazionalità=francese}}": "Anna Bianchi (Parigi, 2 febbraio 1980) è un'attrice, cantante e modella francese.",  # noqa: E501
        "{{Bio|Nome=Ugo|Cognome=Neri|Sesso=M|LuogoNascita=Bari|AnnoNascita=1960|Attività=scrittore|Nazionalità=italiano|PostNazionalità=, vincitore del Premio}}": "Ugo Neri (Bari, 1960) è uno scrittore italiano, vincitore del Premio.",  # noqa: E501
        "{{M|5|k|m}} {{M|1234.5|u=m}} {{AFI|/ˈroma/}} {{pedici|3}} {{cn|b}}": "5 km 1234,5 m /ˈroma/ 3 b",
        "({{russo|Москва|Moskva}}) ({{portoghese|cidade}}) {{Naz|CA|ITA}} {{Calcio Juventus}} {{XIX secolo}}": "(in russo Москва, Moskva) (in portoghese cidade) Italia Juventus XIX secolo",  # noqa: E501
        "{{Bio|Nome=Leo|Cognome=Neri|PreData=noto come ''X''|Sesso=M|LuogoNascita=Bari|AnnoNascita=1960|NoteNascita=<ref>x</ref>|Attività=[[psicologo]]|AttivitàAltre=e medico|Nazionalità=albanese|NazionalitàNaturalizzato=italiano}}": "Leo Neri (noto come X; Bari, 1960) è uno psicologo e medico albanese naturalizzato italiano.",  # noqa: E501
        "{{Bio|Nome=Antonio|Cognome=De Curtis|Pseudonimo=Totò|Sesso=M|LuogoNascita=Napoli|AnnoNascita=1898|LuogoMorte=Roma|AnnoMorte=?|Attività=attore|Nazionalità=italiano}}": "Totò, pseudonimo di Antonio De Curtis (Napoli, 1898 – Roma, …), è stato un attore italiano.",  # noqa: E501
        "{{Bio|Nome=Leo|Cognome=Neri|PostCognome=junior|Sesso=M|AnnoNascita=1960|Attività=pittore|Nazionalità=italiano|Cittadinanza=francese}}": "Leo Neri junior (1960) è un pittore italiano con cittadinanza francese.",  # noqa: E501
        "{{coord|41|54|N|12|30|E}}{{coord|41|54|N|12|30|E|display=title}}": "41°54′N 12°30′E",
    },
    "pt": {
        "{{lang|en|word}} {{fmtn|12345}} {{séc|XIX}}": "word 12.345 século XIX",
        "{{dtlink|2|1|1950}} {{AC|500}}": "2 de janeiro de 1950 500 a.C.",
        "({{lang-en|word}})": "(em inglês: word)",
        "{{citação|Texto|Autor}}": '"Texto"',
        "{{quote|Texto|Autor}}": '"Texto" — Autor',
        "a{{carece de fontes}}. {{artigo principal|x}}": "a.",
        "[[Ficheiro:a.jpg|miniatura|b]]c[[Categoria:D]]": "c",
        "{{nowrap|a b}} {{R$|5}} {{BRA}}": "a b R$ 5 Brasil",
        "{{nascimento|1|2|1950}}": "1 de fevereiro de 1950",
        "{{morte|3|3|2000|2|1|1950}} {{séculos|XV|XVI}} {{EUA}} {{AFI|ˈliʃ}}": "3 de março de 2000 (50 anos) séculos XV e XVI Estados Unidos [ˈliʃ]",  # noqa: E501
        "a{{carece de fontes|frase|data=maio}}{{quando?}} {{cerca de|1500}} {{dica|c|d}}": "afrase c. 1500 c",
        "{{nihongo|'''Tóquio'''|東京|Tōkyō|lit. x}} {{Lista simples|\n* a\n}}": "Tóquio (東京, Tōkyō, lit. x) a",
        "{{dtlink|5|maio}} ({{lang-eu|x}})": "5 de maio (em basco: x)",
        "{{PBPE|fato|facto}}, {{lknb|Mercúrio|planeta}}, {{carece de fontes2|isto|data=maio}}": "fato (português brasileiro) ou facto (português europeu), Mercúrio, isto",  # noqa: E501
        "{{quote2|Texto.|Autor}}": '"Texto." — Autor',
    },
    "nl": {
        "{{lang|en|word}} ({{lang-en|word}})": "word (Engels: word)",
        "{{citaat|Tekst|Auteur}}": "Tekst — Auteur",
        "{{formatnum:12345}} {{datum|2|1|1950}}": "12.345 2 januari 1950",
        "a{{feit}}. {{hoofdartikel|x}}": "a.",
        "[[Bestand:a.jpg|miniatuur|b]]c[[Categorie:D]]": "c",
        "{{nowrap|a b}} {{NLD}}": "a b Nederland",
        "{{afk|a|b}} {{small|c}}": "a c",
        "({{lang-fy|x}}) {{bron?|een zin|2010|01|01}}{{bron?||2010|1|1}} {{wie?|b}}": "(Fries: x) een zin b",
        "52 {{v. Chr.}} {{ca.|1500}} {{19e eeuw}} {{breuk|1|2}} {{Hr.Ms.|De Ruyter}} {{VS}}": "52 v.Chr. ca. 1500 19e eeuw 1/2 Hr.Ms. De Ruyter Verenigde Staten",  # noqa: E501
        "{{Kolommen lijst|aantal=2|inhoud=\n* a\n* b\n}}": "a b",
    },
    "ru": {
        "({{lang-de|Wort}}) {{lang|en|word}}": "(нем. Wort) word",
        "{{нп5|Рус||en|Eng}} {{iw|A|Б|en}} {{не переведено|Слово}}": "Рус Б Слово",
        "{{число|12345|км}} {{nobr|a b}} {{s|c}}": "12 345 км a b c",
        "{{дата|2|1|1950}} {{comment|a|b}}": "2 января 1950 a",
        "{{цитата|Текст|автор=А}}": "Текст А",
        "«а{{нет АИ|1|2|2010}}» {{Флаг России}} {{Россия}}": "«а» Россия",
        "{{s|5|а}}. {{main|x}}": "5.",
        "[[Файл:а.jpg|мини|б]]в[[Категория:Г]]": "в",
        "{{кавычки|а}} {{век|XIX}}": "«а» XIX век",
        "{{lang-ja|言葉}} {{lang-la|verbum}}": "яп. 言葉 лат. verbum",
        "{{IPA|x}} {{подсказка|а|б}}": "[x] а",
        "{{США}}": "США",
        "Москва{{ударение}} {{lang-grc|λόγος}} {{Флагификация|Россия}} {{км|5}}": "Москва\u0301 др.-греч. λόγος Россия 5 км",  # noqa: E501
        "{{OldStyleDate|9|сентября|1828|28|августа}} {{СС3|28.08.1828}} {{СС3|8.4.1765}}": "28 августа [9 сентября] 1828 28 августа [9 сентября] 1828 8 [19] апреля 1765",  # noqa: E501
        "({{lang-en2|word}}, {{langi|la|urbs}}) {{ДР|2|1|1950}} {{СССР}} {{н. э.}} {{подсказка|a|b}}{{ref+|x}}": "(word, urbs) 2 января 1950 СССР н. э. a",  # noqa: E501
        "{{нихонго|'''Токио'''|東京|То:кё:}} {{километр|5}}{{км²|5}} {{евро|5}} {{IPA|[x]}} {{где?}}": "Токио (яп. 東京 То:кё:) 5 км² 5 € [x]",  # noqa: E501
        "({{lang-cu|x}}, {{lang-ba|y}})": "(ст.-слав. x, башк. y)",
        "{{coord|55|45|N|37|37|E}} {{D-|15|1|1897}} {{Российская империя}}": "55°45′ с. ш. 37°37′ в. д. 15 января 1897 Российская империя",  # noqa: E501
        "({{lang-zh|трад=北京|пиньинь=Běijīng|палл=Бэйцзин}}) до{{диез}}": "(кит. трад. 北京, пиньинь Běijīng, палл. Бэйцзин) до♯",  # noqa: E501
        "{{число|1234,5|км}} {{formatnum:1234567}}": "1234,5 км 1 234 567",
    },
    "uk": {
        "({{lang-en|word}}) {{lang|de|Wort}}": "(англ. word) Wort",
        "{{нп|Укр||en|Eng}} {{не перекладено|Слово}}": "Укр Слово",
        "{{число|12345}} {{дата|2|1|1950}}": "12 345 2 січня 1950",
        "а{{джерело}}. [[Файл:а.jpg|міні|б]][[Категорія:Г]]": "а.",
        "{{цитата|Текст}}": "Текст",
        "{{nobr|a b}} {{UKR}}": "a b Україна",
        "({{lang-en2|word}}, {{langi|la|urbs}}) {{XIX століття}} {{до н.е.}} {{дріб|1|2}} {{США}} {{СРСР}}": "(word, urbs) XIX століття до н. е. 1/2 США СРСР",  # noqa: E501
        "{{не перекладено|треба=А|є=B|мова=en|текст=В}} {{ніхонґо|'''Токіо'''|東京|Токьо}} {{Наголос|а}}": "В Токіо (яп. 東京 Токьо) а́",  # noqa: E501
        "({{lang-yi|x}})": "(їд. x)",
        "{{coord|50|27|N|30|31|E}} {{УРСР}} {{lang-zh|北京}}": "50°27′ пн. ш. 30°31′ сх. д. УРСР кит. 北京",
        "{{formatnum:1234}} {{formatnum:12345}}": "1234 12 345",
    },
    "pl": {
        "{{lang|en|word}} ({{ang.}} word)": "word (ang. word)",
        "{{j|en|word}} {{lang-de|Wort}}": "word niem. Wort",
        "{{cytat|Treść.|Autor}}": "Treść. — Autor",
        "a{{fakt|data=2010}}. {{osobny artykuł|x}}": "a.",
        "[[Plik:a.jpg|mały|b]]c[[Kategoria:D]]": "c",
        "{{formatnum:12345}} {{nowrap|a b}} {{POL}}": "12 345 a b Polska",
        "{{państwo|FRA}} {{flaga|POL}}x": "Francja x",
        "500 {{p.n.e.}} {{data|2|1|1950}}": "500 p.n.e. 2 stycznia 1950",
        "a{{odn|x|2000}}{{r|x}}, b": "a, b",
        "({{w języku|en|London}}) ({{ang.|word}}) ({{chiń.|扶乩}}) ({{jap.|東京|Tōkyō}})": "(ang. London) (ang. word) (chiń. 扶乩) (jap. 東京 Tōkyō)",  # noqa: E501
        "{{nihongo|'''Tokio'''|東京|Tōkyō}} {{zł|5}} {{XIX w.}} {{roman|19}} {{IPA3|x}} {{Dz.U.|2010|12|34}}": "Tokio (jap. 東京 Tōkyō) 5 zł XIX w. XIX [x] Dz.U. z 2010 r. nr 12, poz. 34",  # noqa: E501
        "{{skrót|a|b}} {{n.e.}}{{kiedy?|data=x}} {{ENG}}": "a n.e. Anglia",
        "{{cytat|Treść|źródło=Księga}} {{lang-zh|北京}}": "Treść — Księga chiń. 北京",
    },
    "sv": {
        "{{lang|en|word}} ({{lang-en|word}})": "word (engelska: word)",
        "{{citat|Text.|Författare}}": "Text. — Författare",
        "{{formatnum:12345}} {{nowrap|a b}}": "12 345 a b",
        "a{{källa behövs}}. {{huvudartikel|x}}": "a.",
        "[[Fil:a.jpg|miniatyr|b]]c[[Kategori:D]]": "c",
        "{{SWE}} {{sortname|Ann|Lee}}": "Sverige Ann Lee",
        "{{ca|1500}} {{e.Kr.}} {{bråk|1|2}} {{kr|5}} {{M/S|Estonia}} {{1800-talet}}": "ca 1500 e.Kr. 1/2 5 kr M/S Estonia 1800-talet",  # noqa: E501
        "{{dödsdatum och ålder|2000|3|3|1950|1|2}} {{små|x}} {{ej översatt|x|en|y}}{{när?}}": "3 mars 2000 (50 år) x x",
        "{{coord|59|20|N|18|4|E}}": "59°20′N 18°4′Ö",
    },
    "ja": {
        "{{仮リンク|甲|en|A}}は{{仮リンク|乙|de|B|label=丙}}": "甲は丙",
        "{{lang|en|word}}、{{lang-en|word}}": "word、英語: word",
        "{{読み仮名|東京|とうきょう}}": "東京（とうきょう）",
        "{{lang-en-short|word}} {{要出典範囲|甲|date=2010}}": "英: word 甲",
        "{{生年月日と年齢|1950|1|2}}": "1950年1月2日",
        "{{Ruby|漢字|かんじ}} {{補助漢字フォント|字}}": "漢字（かんじ） 字",
        "{{convert|20|km|mi}} {{JPN}} {{flagicon|JPN}}a": "20 km 日本 a",
        "甲{{要出典|date=2010}}。{{Main|x}}": "甲。",
        "[[ファイル:a.jpg|サムネイル|甲]]乙[[カテゴリ:丙]]": "乙",
        "{{quotation|本文。|著者}}": "本文。 — 著者",
        "{{formatnum:12345}} {{small|甲}}": "12,345 甲",
        "{{和暦|1999}} {{Snamei||Homo sapiens}}": "平成11年 Homo sapiens",
        "{{読み仮名|'''東京'''|とうきょう|{{lang-en|Tokyo}}}}は {{by|1999年}} {{Mlby|1999}} {{GBR3}}": "東京（とうきょう、英語: Tokyo）は 1999年 1999年 イギリス",  # noqa: E501
        "{{死亡年月日と没年齢|1950|1|2|2000|3|4}} {{没年齢|1950|1|2|2000|3|4}} {{IPA-en|ˈlʌndən}}": "2000年3月4日（50歳没） （50歳没） 英語発音: [ˈlʌndən]",  # noqa: E501
        "{{傍点|甲}} {{下線|乙}} {{いつ範囲|戊|date=x}} {{CHN}} {{ピン音|Běijīng}} {{分数|1|2}}{{誰2|date=x}}": "甲 乙 戊 中華人民共和国 Běijīng 1/2",  # noqa: E501
        "{{flag|Turkey}} {{flagcountry|United States}}": "トルコ アメリカ合衆国",
        "{{Coord|35|41|N|139|41|E}} {{TPE}} {{背景色|red|甲}}": "北緯35度41分 東経139度41分 チャイニーズタイペイ 甲",
        "{{lang-ko|서울}}": "朝鮮語: 서울",
    },
    "zh": {
        "{{lang|de|Berlin}}、{{link-en|甲|A}}、{{le|乙|B}}": "Berlin、甲、乙",
        "{{lang-en|word}} {{tsl|en|A|甲}}": "英语：word 甲",
        "{{bd|1879年|3月14日|1955年|4月18日}}": "（1879年3月14日－1955年4月18日）",
        "-{zh-hans:州; zh-hant:邦}-議會 {{僻字|甲|x}}": "州議會 甲",
        "{{cquote|本文}}": "本文",
        "甲{{来源请求}}。{{NoteTA|G1=x}}{{main|x}}": "甲。",
        "[[文件:a.jpg|缩略图|甲]]乙[[分类:丙]][[Category:丁]]": "乙",
        "{{FRA}} {{convert|5|km|mi}}": "法国 5 km",
        "{{专名号|甲}} {{注音|甲|jiǎ}} {{start date|2000|1|2}}": "甲 甲（jiǎ） 2000年1月2日",
        "'''甲'''（{{bd|1866年|11月12日|1925年|3月12日|catIdx=S}}），'''乙'''（{{lang|de|X}}，{{bd|1950年|1月2日}}）": "甲（1866年11月12日－1925年3月12日），乙（X，1950年1月2日）",  # noqa: E501
        "{{le|甲|A|乙}} {{link-en|甲|A|丙}} {{ruby-zh-b|北京|ㄅㄟˇ ㄐㄧㄥ}} {{langwithname|de|德文|Berlin}}": "乙 丙 北京（ㄅㄟˇ ㄐㄧㄥ） 德文：Berlin",  # noqa: E501
        "{{TWN}} {{CHN}} {{分數|1|2}} {{as of|2010|1}}{{何時}} {{拼音|Běijīng}}": "中華民國 中华人民共和国 1/2 截至2010年1月 Běijīng",  # noqa: E501
        "{{flag|France}} {{flag|俄罗斯}}": "法国 俄罗斯",
        "{{ilh|甲|A|d=乙}} {{ko-hhrm|hangul=서울}} {{coord|25|2|N|121|31|E}}": "乙 韓語：서울 25°2′N 121°31′E",
    },
    "ko": {
        "{{lang|en|word}}({{llang|en|word}})": "word(영어: word)",
        "{{출생일|1950|1|2}} {{nowrap|가 나}}": "1950년 1월 2일 가 나",
        "가{{출처 필요}}. {{본문|x}}": "가.",
        "[[파일:a.jpg|섬네일|가]]나[[분류:다]]": "나",
        "{{인용문|본문}} {{KOR}}": "본문 대한민국",
        "{{한자|서울|京}} {{lang-en|word}} {{작게|가}}": "서울(京) 영어: word 가",
        "{{임시링크|가|en|A}}": "가",
        "{{사망일과 나이|2000|3|4|1950|1|2}} {{IPA-en|x}} {{분수|1|2}} {{기원전|50}} {{세기|19}}": "2000년 3월 4일 (50세) 영어 발음: [x] 1/2 기원전 50년 19세기",  # noqa: E501
        "{{큰 글씨|x}} {{밑줄|y}} {{국제음성기호|x}} {{zh|s=x|t=y|p=z}}{{확인 필요}}": "x y [x] 간체자: x; 정체자: y; 병음: z",  # noqa: E501
        "'''지요다구'''({{llang|ja|千代田区|지요다쿠}})는": "지요다구(일본어: 千代田区 지요다쿠)는",
        "{{coord|37|34|N|126|58|E}} {{ruby-ja|東京|とうきょう}} {{아니오}}": "북위 37° 34′ 동경 126° 58′ 東京(とうきょう) 아니오",  # noqa: E501
    },
    "ar": {
        "({{إنج|word}}) {{lang|en|word}}": "(بالإنجليزية: word) word",
        "{{ألمانية|Wort}} {{lang-fr|mot}}": "بالألمانية: Wort بالفرنسية: mot",
        "{{تاريخ الميلاد|1950|1|2}}": "2 يناير 1950",
        "أ{{بحاجة لمصدر}}. {{مفصلة|ب}}": "أ.",
        "[[ملف:a.jpg|تصغير|أ]]ب[[تصنيف:ج]]": "ب",
        "{{اقتباس|نص}} {{وإو|عر=أ|تر=A|لغ=en}}": "نص أ",
        "{{اقتباس مضمن|نص}} {{formatnum:12345}}": "”نص“ 12,345",
        "{{وإو|تر=English|عر=عربي|نص=نص|لغ=en}} {{رضي الله عنه}} {{عليها السلام}} {{عز وجل}}": "نص رضي الله عنه عليها السلام عز وجل",  # noqa: E501
        "{{تاريخ وفاة وعمر|2000|3|4|1950|1|2}} 50 {{ق.م.}} {{كسر|1|2}} {{قرآن|نص}} {{PSE}}": "4 مارس 2000 (50 سنة) 50 ق.م 1/2 ﴿نص﴾ فلسطين",  # noqa: E501
        "{{نص صغير|ب}} {{اختصار|a|b}} {{دولار أمريكي|5}}{{أيقونة علم|x}}": "ب a 5 دولار أمريكي",
    },
}
