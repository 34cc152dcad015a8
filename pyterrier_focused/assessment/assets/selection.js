// What is selected, as a span of code points; and a caret moved by keys in text that is not edited.
function selectedSpan(rendered) {
  const selection = getSelection();
  if (!rendered || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(rendered.host)) return null;
  const start = rendered.offsets.points(rendered.unit(range.startContainer, range.startOffset));
  const end = rendered.offsets.points(rendered.unit(range.endContainer, range.endOffset));
  return [start, end];
}

function select(rendered, start, end = start) {
  const selection = getSelection();
  const [node, offset] = rendered.place(rendered.offsets.units(start));
  selection.setBaseAndExtent(node, offset, ...rendered.place(rendered.offsets.units(end), end > start));
}

const MOVES = {
  ArrowLeft: ["left", "character", "word"], ArrowRight: ["right", "character", "word"],
  ArrowUp: ["backward", "line", "paragraph"], ArrowDown: ["forward", "line", "paragraph"],
  Home: ["backward", "lineboundary", "text"], End: ["forward", "lineboundary", "text"],
};

// the unit of the first character that is seen: in white space that is not shown Firefox's caret is stuck
function firstSeen(text, unit = 0) {
  return text.length - text.slice(unit).trimStart().length;
}

// the unit to which the larger moves lead, which not all browsers have: another line of the text, or its end
function destination(text, unit, direction, granularity) {
  const forward = direction === "forward";
  if (granularity === "text") return forward ? text.trimEnd().length : firstSeen(text);
  if (!forward) return text.slice(0, unit).trimEnd().lastIndexOf("\n") + 1;
  const at = text.indexOf("\n", unit);
  return at < 0 ? text.length : firstSeen(text, at);
}

// move or extend the selection by a key; whether the key is one that does
function moveCaret(rendered, event, start) {
  if (!(event.key in MOVES) || event.metaKey) return false;
  const selection = getSelection();
  const inside = () => selection.rangeCount && rendered.host.contains(selection.focusNode);
  if (!inside()) {
    const { offsets } = rendered;
    select(rendered, offsets.points(firstSeen(offsets.text, offsets.units(start))));
    if (!event.shiftKey) return true;
  }
  const [node, offset, base, baseOffset] =
    [selection.focusNode, selection.focusOffset, selection.anchorNode, selection.anchorOffset];
  const [direction, small, large] = MOVES[event.key];
  const granularity = event.ctrlKey || event.altKey ? large : small;
  if (["text", "paragraph"].includes(granularity)) {
    const to = rendered.place(destination(rendered.offsets.text, rendered.unit(node, offset), direction, granularity));
    if (event.shiftKey) selection.extend(...to);
    else selection.collapse(...to);
  } else selection.modify(event.shiftKey ? "extend" : "move", direction, granularity);
  if (!inside()) selection.setBaseAndExtent(base, baseOffset, node, offset);
  return true;
}

// the offset (code points) in the article that is nearest to a point of the window, or null
function offsetAt(rendered, x, y) {
  let node, offset;
  if (document.caretPositionFromPoint) {
    const found = document.caretPositionFromPoint(x, y);
    [node, offset] = [found?.offsetNode, found?.offset];
  } else {
    const found = document.caretRangeFromPoint(x, y);
    [node, offset] = [found?.startContainer, found?.startOffset];
  }
  if (!node || !rendered.host.contains(node)) return null;
  return rendered.offsets.points(rendered.unit(node, offset));
}

// the offset at which the line at height *y* begins, whichever way it is written
function lineStart(rendered, y) {
  const box = rendered.host.getBoundingClientRect();
  const style = getComputedStyle(rendered.host);
  const left = box.left + parseFloat(style.paddingLeft) + 2, right = box.right - parseFloat(style.paddingRight) - 2;
  const found = [left, right].map((x) => offsetAt(rendered, x, y)).filter((offset) => offset !== null);
  return found.length ? Math.min(...found) : null;
}

// the box of the character at an offset, in the window
function boxAt(rendered, offset, end = false) {
  const { length } = rendered.offsets;
  const [from, to] = end ? [Math.max(0, offset - 1), offset] : [offset, Math.min(length, offset + 1)];
  const boxes = rendered.range(from, to).getClientRects();
  return boxes.length ? boxes[end ? boxes.length - 1 : 0] : null;
}
