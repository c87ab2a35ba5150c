// The graph of a step: drawing, view, selection.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';

// ---- Graph ----
const view = {
  x: 0,
  y: 0,
  scale: 1,
  stretch: 1  // of heights: a long step that fits has room above and below
};
const tileWidth = 1600;
let tiles = [];
let selected = -1, matches = [], match = -1;

const label = op => (op.op === 'input' ? op.name : op.op.replace(/^train\./, '')) +
    (op.body_rounds ? ' x ' + op.body_rounds : '');
/** Loops around an op, the innermost first: "loss/lstm#0 x 35"; empty outside of loops. */
function loopText(row) {
  const loops = [];
  for (; row.loop; row = loops[loops.length - 1])
    loops.push(step.operations[indexOf.get(row.loop)]);
  return loops.map(loop => `${loop.name} x ${loop.body_rounds}`).join(' in ');
}

function nodeText(op, i) {
  const [x, y, w, h] = layout.operations[i];
  const stored = colour(op.stored);
  return `<g class="op ${colour(op.computes)}" data-i="${i}"><rect class="body" x="${x}" y="${
      y}" width="${w}" height="${h}" rx="5"/>
<rect class="strip ${stored}" x="${x + w - 7}" y="${y}" width="7" height="${
      h}" rx="2"/><text class="label" x="${x + 7}" y="${y + 16}">${html(label(op))}</text>
<text class="type" x="${x + w - 11}" y="${y + 16}">${html(op.computes)}</text></g>`;
}

/** Whether an op is in the body of a loop, or of a loop inside. */
function isInside(i, loop) {
  for (let op = step.operations[i]; op.loop;) {
    const around = indexOf.get(op.loop);
    if (around === loop) return true;
    op = step.operations[around];
  }
  return false;
}
const loopBox = i => (layout.loops.find(loop => loop.operation === i) || {}).box;

/** Edge from an op to the end of a round: a value that the loop passes on or keeps. */
function passText(loop, operand) {
  const from = indexOf.get(operand.from);
  if (from === undefined || !isInside(from, loop)) return '';
  const a = step.operations[from].body_rounds ? loopBox(from) : layout.operations[from];
  const [x, y, w, h] = loopBox(loop), start = [a[0] + a[2] / 2, a[1] + a[3]],
                  end = [x + w / 2, y + h], bend = Math.min(60, (end[1] - start[1]) / 2);
  const names = `data-a="${from}" data-b="${loop}"`, type = colour(operand.type);
  return `<path class="edge ${type}" ${names} d="M${start}C${start[0]},${start[1] + bend} ${
      end[0]},${end[1] - bend} ${end}"/>${
      operand.casts ? `<path class="diamond ${type}" ${names} d="M${start[0]},${
                          start[1] + 1}l5,5l-5,5l-5,-5z"/>` :
                      ''}`;
}

/** Edge path: rightwards in the forward lane, leftwards in backward, downwards otherwise. */
function edgeText(from, to, operand) {
  const source = step.operations[from], reader = step.operations[to], b = layout.operations[to];
  // A result leaves the box of a loop; carried values and rows come from the loop's op.
  const a = source.body_rounds && !isInside(to, from) ? loopBox(from) : layout.operations[from];
  const lane = op => op.part === 'input' ? 'forward' : op.part;
  const saved = lane(source) === 'forward' && lane(reader) === 'backward';
  let start, end, curve;
  if (lane(source) !== lane(reader) || source.group === reader.group ||
      reader.part === 'optimizer') {
    start = [a[0] + a[2] / 2, a[1] + a[3]], end = [b[0] + b[2] / 2, b[1]];
    const bend = Math.min(60, Math.abs(end[1] - start[1]) / 2);
    curve = `M${start}C${start[0]},${start[1] + bend} ${end[0]},${end[1] - bend} ${end}`;
  } else {
    const right = lane(source) === 'forward';
    start = [right ? a[0] + a[2] : a[0], a[1] + a[3] / 2],
    end = [right ? b[0] : b[0] + b[2], b[1] + b[3] / 2];
    const bend = (right ? 1 : -1) * Math.max(24, Math.min(120, Math.abs(end[0] - start[0]) / 2));
    curve = `M${start}C${start[0] + bend},${start[1]} ${end[0] - bend},${end[1]} ${end}`;
  }
  const classes = `${colour(operand.type)}${saved ? ' saved' : ''}`;
  const isShared = op => op.part === 'optimizer' && op.group === step.name;
  const far = isShared(source) !== isShared(reader) ? ' shared' :
      Math.abs(end[0] - start[0]) > 900             ? ' far' :
                                                      '';
  const diamond = operand.casts ? `<path class="diamond ${classes}" data-a="${from}" data-b="${
                                      to}" d="M${end[0]},${end[1] - 5}l5,5l-5,5l-5,-5z"/>` :
                                  '';
  return `<path class="edge ${classes}${far}" data-a="${from}" data-b="${to}" d="${curve}"/>${
      diamond}`;
}

function drawGraph() {
  const laneOf = part => ({forward: 0, backward: 1, optimizer: 2}[part]);
  const bottom = layout.lanes[1][1] + layout.lanes[1][3];
  const bands = layout.bands.map(band => {
    const top = 6 + 26 * band.depth;
    return `<rect class="band" x="${band.from - 20}" y="${top}" width="${
        band.to - band.from +
        40}" height="${bottom - top}" rx="10" opacity="${band.depth ? .8 : .5}"/>
      <text class="band-label" x="${band.from - 10}" y="${top + 18}">${html(band.label)}</text>`;
  });
  // Tiles outside the window are hidden, so that the browser does not lay them out.
  tiles = [];
  const put = (kind, from, to, text) => {
    const number = to - from > 2 * tileWidth ? -1 : Math.floor(from / tileWidth);
    let tile = tiles.find(t => t.number === number);
    if (!tile) tiles.push(tile = {number, from, to, parts: [[], [], [], []]});
    tile.from = Math.min(tile.from, from), tile.to = Math.max(tile.to, to);
    tile.parts[kind].push(text);
  };
  layout.groups.forEach((group, i) => {
    const [x, y, w, h] = group.box;
    put(0, x, x + Math.min(w, tileWidth),
        `<g class="group lane-${laneOf(group.part)}"><title>${
            html((group.path ? group.path + '/' : '') + group.label)}</title>
      <rect x="${x}" y="${y}" width="${w}" height="${h}" rx="8"/></g>`);
    put(3, x, x + Math.min(w, tileWidth), `<text data-g="${i}"></text>`);
  });
  for (const {operation, box: [x, y, w, h]} of layout.loops) {
    const loop = step.operations[operation];
    put(0, x, x + Math.min(w, tileWidth),
        `<g class="loop"><title>${html(loop.name)}, ${loop.body_rounds} rounds</title><rect x="${
            x}" y="${y}" width="${w}" height="${h}" rx="8"/></g>`);
    for (const operand of [...loop.next, ...loop.each])
      put(1, x, x + Math.min(w, tileWidth), passText(operation, operand));
  }
  step.operations.forEach((op, to) => {
    const [x, , w] = layout.operations[to];
    put(2, x, x + w, nodeText(op, to));
    op.operands.forEach(operand => {
      const from = operand.from === undefined ? undefined : indexOf.get(operand.from);
      if (from === undefined) return;
      const other = layout.operations[from];
      put(1, Math.min(x, other[0]), Math.max(x + w, other[0] + other[2]),
          edgeText(from, to, operand));
    });
  });
  tiles.sort((a, b) => a.number - b.number);
  $('view').innerHTML = bands.join('') +
      tiles
          .map(
              tile => `<g class="tile">${tile.parts[0].join('')}${tile.parts[1].join('')}${
                  tile.parts[2].join('')}
    <g class="group-labels">${tile.parts[3].join('')}</g></g>`)
          .join('');
  document.querySelectorAll('#view .tile').forEach((element, i) => {
    tiles[i].element = element;
  });
  $('lane-labels').innerHTML =
      ['forward', 'backward', 'optimizer'].map(name => `<div>${name}</div>`).join('');
}

const graphSize = () => ({width: $('graph').clientWidth, height: $('graph').clientHeight});

let frame = 0;
let isFitted = false;  // until another action moves the view, also when the window changes
function moved() {
  isFitted = false;
  if (!frame) frame = requestAnimationFrame(applyView);
}
function applyView() {
  frame = 0;
  const {scale} = view;
  $('view').setAttribute(
      'transform',
      `translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${scale.toFixed(5)} ${
          (scale * view.stretch).toFixed(5)})`);
  for (const tile of tiles) {
    const isSeen =
        view.x + tile.to * scale > -40 && view.x + tile.from * scale < graphSize().width + 40;
    tile.element.style.display = isSeen ? '' : 'none';
  }
  const drawing = $('drawing').classList;
  drawing.toggle('far', scale < 0.5);
  drawing.toggle('very-far', scale < 0.2);
  fitLabels();
  document.querySelectorAll('#lane-labels div').forEach((div, i) => {
    const tall = scale * view.stretch, [, y, , h] = layout.lanes[i],
          top = Math.max(0, view.y + y * tall),
          end = Math.min(graphSize().height, view.y + (y + h) * tall);
    div.style.top = top + 'px';
    div.style.height = Math.max(0, end - top) + 'px';
    div.style.fontSize = end - top < 64 ? '0' : '';
  });
  drawOverview();
}

/** Rescales labels: larger as the drawing shrinks, within the group's width, never stretched. */
let labelScale = null;
function fitLabels() {
  const level = `${Math.round(Math.log2(view.scale) * 3)} ${view.stretch.toFixed(2)}`;
  if (level === labelScale) return;
  labelScale = level;
  const keepShape = (text, y) => text.setAttribute(
      'transform', `translate(0 ${y * (1 - 1 / view.stretch)}) scale(1 ${1 / view.stretch})`);
  const wanted = Math.max(12.5, Math.min(64, 10.5 / view.scale));
  document.querySelectorAll('#view .group-labels text').forEach(text => {
    const group = layout.groups[text.dataset.g], [x, y, w] = group.box;
    const isFar = wanted > 21, width = isFar ? w + 40 : w - 18;
    const size = Math.max(12.5, Math.min(wanted, width / (0.66 * group.label.length)));
    const room = Math.floor(width / (0.6 * size));
    text.setAttribute('font-size', size.toFixed(1));
    text.setAttribute('x', isFar ? x : x + 10);
    text.setAttribute('y', isFar ? y - 5 : y + 17);
    keepShape(text, isFar ? y - 5 : y + 17);
    text.textContent =
        group.label.length > room ? group.label.slice(0, room - 1) + '\u2026' : group.label;
    text.style.display = size * view.scale < 4.5 ? 'none' : '';
  });
  document.querySelectorAll('#view .band-label').forEach((text, i) => {
    const band = layout.bands[i],
          inner = layout.bands.filter(
              b => b.depth > band.depth && b.from >= band.from && b.to <= band.to);
    const widest = inner.length ? 26 : (band.to - band.from) / (0.6 * band.label.length);
    const size = Math.max(13, Math.min(11 / view.scale, widest));
    const isCovered = layout.bands.some(
        b => b !== band && b.depth >= band.depth && b.from >= band.from &&
            b.from < band.from + 0.6 * size * band.label.length);
    text.style.fontSize = size + 'px';
    text.style.display = size * view.scale < 4.5 || isCovered ? 'none' : '';
    keepShape(text, Number(text.getAttribute('y')));
  });
}

function zoom(factor, x, y) {
  const size = graphSize();
  x ??= size.width / 2, y ??= size.height / 2;
  const scale = Math.max(0.01, Math.min(3, view.scale * factor)), grown = scale / view.scale;
  const stretch = Math.max(1, view.stretch / Math.max(1, grown));
  view.x = x - (x - view.x) * grown;
  view.y = y - (y - view.y) * grown * stretch / view.stretch;
  view.scale = scale;
  view.stretch = stretch;
  moved();
}
/** Fits the whole step into the window. */
function fitAll() {
  const size = graphSize();
  const tall = (size.height - 12) / layout.height, wide = (size.width - 50) / layout.width;
  view.scale = Math.min(1, tall, wide);
  view.stretch = Math.max(1, Math.min(16, tall / view.scale));
  view.x = 26 + (size.width - 26 - layout.width * view.scale) / 2;
  view.y = Math.max(6, (size.height - layout.height * view.scale * view.stretch) / 2);
  moved();
  isFitted = true;
}
/** Left edge of the first window of this size with a few ops, else of the fullest window. */
function firstOperations(width, height) {
  const shown = layout.operations.filter(([, y, , h]) => y + h <= height)
                    .map(([x, , w]) => [x, x + w])
                    .sort((a, b) => a[0] - b[0]);
  const few = Math.min(8, Math.round(width / 150));
  let start = 0, most = 0;
  for (let i = 0, end = 0; i < shown.length && most < few; ++i) {
    while (end < shown.length && shown[end][1] <= shown[i][0] + width) ++end;
    if (end - i > most) most = end - i, start = shown[i][0];
  }
  return start;
}
/** Fits the height of both passes, from the first ops on, at a scale that shows a few groups. */
function fitHeight() {
  const size = graphSize(), [, y, , h] = layout.lanes[1];
  view.scale = Math.max(0.8, Math.min(1, size.height / (y + h + 10)));
  view.stretch = 1;
  view.x =
      10 - firstOperations(size.width / view.scale - 20, size.height / view.scale) * view.scale;
  view.y = 0;
  moved();
}
function centre(i) {
  const [x, y, w, h] = layout.operations[i], size = graphSize();
  view.scale = Math.max(view.scale, 0.75);
  view.stretch = 1;
  view.x = size.width / 2 - (x + w / 2) * view.scale;
  view.y = size.height / 2 - (y + h / 2) * view.scale;
  moved();
}

function drawOverview() {
  const canvas = $('overview'), ratio = devicePixelRatio || 1, width = canvas.clientWidth,
        height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio))
    canvas.width = Math.round(width * ratio), canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d'), style = getComputedStyle(document.documentElement);
  const value = name => style.getPropertyValue(name);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const sx = width / layout.width, sy = height / layout.height;
  const colours =
      Object.fromEntries([...floats, 'int'].map(type => [type, value(`--${type}-line`)]));
  step.operations.forEach((op, i) => {
    const [x, y, w, h] = layout.operations[i];
    context.fillStyle = colours[colour(op.computes)];
    context.fillRect(x * sx, y * sy, Math.max(1, w * sx), Math.max(1, h * sy));
  });
  const size = graphSize(), tall = view.scale * view.stretch, left = -view.x / view.scale * sx,
        top = -view.y / tall * sy;
  context.strokeStyle = value('--text');
  context.lineWidth = 2;
  context.strokeRect(
      Math.max(1, left), Math.max(1, top), Math.min(width - 2, size.width / view.scale * sx),
      Math.min(height - 2, size.height / tall * sy));
}

function wireGraph() {
  const graph = $('graph');
  let drag = null;
  graph.addEventListener('wheel', event => {
    // The page scrolls until the graph has the focus.
    if (!(event.ctrlKey || event.metaKey || graph.contains(document.activeElement))) return;
    event.preventDefault();
    const box = graph.getBoundingClientRect();
    zoom(
        Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.clientX - box.left,
        event.clientY - box.top);
  }, {passive: false});
  graph.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    drag = {x: event.clientX, y: event.clientY, moved: false, target: event.target};
    graph.setPointerCapture(event.pointerId);
    graph.focus({preventScroll: true});
  });
  graph.addEventListener('pointermove', event => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    drag.moved = true;
    graph.classList.add('dragging');
    view.x += dx, view.y += dy;
    drag.x = event.clientX, drag.y = event.clientY;
    moved();
  });
  graph.addEventListener('pointerup', () => {
    graph.classList.remove('dragging');
    if (drag && !drag.moved) {
      const node = drag.target.closest && drag.target.closest('.op');
      select(node ? Number(node.dataset.i) : -1);
    }
    drag = null;
  });
  graph.addEventListener('keydown', event => {
    const by = 80,
          keys = {ArrowLeft: [by, 0], ArrowRight: [-by, 0], ArrowUp: [0, by], ArrowDown: [0, -by]};
    if (keys[event.key])
      view.x += keys[event.key][0], view.y += keys[event.key][1], moved();
    else if (event.key === '+' || event.key === '=')
      zoom(1.25);
    else if (event.key === '-')
      zoom(0.8);
    else if (event.key === '0')
      fitAll();
    else if (event.key === 'Escape')
      select(-1);
    else
      return;
    event.preventDefault();
  });
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || /INPUT|SELECT/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    $('search').focus();
  });
  const overview = $('overview');
  const jump = event => {
    if (event.buttons !== 1) return;
    const box = overview.getBoundingClientRect(), size = graphSize();
    view.x = size.width / 2 - (event.clientX - box.left) / box.width * layout.width * view.scale;
    moved();
  };
  overview.addEventListener('pointerdown', jump);
  overview.addEventListener('pointermove', jump);
  $('zoom-in').onclick = () => zoom(1.4);
  $('zoom-out').onclick = () => zoom(1 / 1.4);
  $('zoom-fit').onclick = fitAll;
  $('zoom-read').onclick = fitHeight;
  $('show-saved').onchange = event =>
      $('drawing').classList.toggle('no-saved', !event.target.checked);
  new ResizeObserver(() => isFitted ? fitAll() : moved()).observe(graph);
  // Print shows the whole step, whatever the window shows.
  addEventListener('beforeprint', () => {
    $('drawing').setAttribute('viewBox', `0 0 ${layout.width} ${layout.height}`);
    $('view').removeAttribute('transform');
    for (const tile of tiles) tile.element.style.display = '';
  });
  addEventListener('afterprint', () => {
    $('drawing').removeAttribute('viewBox');
    moved();
  });
}

function select(i, focus) {
  document.querySelectorAll('#view .selected, #view .near, #view .lit')
      .forEach(e => e.classList.remove('selected', 'near', 'lit'));
  selected = i;
  if (i >= 0) {
    const near =
        new Set([...readers[i], ...step.operations[i].operands.map(o => indexOf.get(o.from))]);
    document.querySelectorAll('#view .op').forEach(e => {
      if (Number(e.dataset.i) === i)
        e.classList.add('selected');
      else if (near.has(Number(e.dataset.i)))
        e.classList.add('near');
    });
    document.querySelectorAll(`#view [data-a="${i}"], #view [data-b="${i}"]`)
        .forEach(e => e.classList.add('lit'));
    if (focus) centre(i);
  }
  showDetails(i);
}
