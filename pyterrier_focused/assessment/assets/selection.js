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
  Home: ["backward", "lineboundary", ""], End: ["forward", "lineboundary", ""],
};

// move or extend the selection by a key; whether the key is one that does
function moveCaret(rendered, event, start) {
  if (!(event.key in MOVES) || event.metaKey) return false;
  const selection = getSelection();
  const inside = () => selection.rangeCount && rendered.host.contains(selection.focusNode);
  if (!inside()) {
    select(rendered, start);
    if (!event.shiftKey) return true;
  }
  const [node, offset, base, baseOffset] =
    [selection.focusNode, selection.focusOffset, selection.anchorNode, selection.anchorOffset];
  const [direction, small, large] = MOVES[event.key];
  const granularity = event.ctrlKey || event.altKey ? large : small;
  if (granularity) selection.modify(event.shiftKey ? "extend" : "move", direction, granularity);
  else {
    const end = event.key === "End" ? rendered.nodes.at(-1) : rendered.nodes[0];
    const to = event.key === "End" ? end.length : 0;
    if (event.shiftKey) selection.extend(end, to);
    else selection.collapse(end, to);
  }
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
