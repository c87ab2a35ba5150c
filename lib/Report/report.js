// Script of the page: totals, graph, memory chart and tables, from the data that the page carries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';
const read = id => JSON.parse(document.getElementById(id).textContent);
const report = read('report'), layouts = read('layouts'), lines = read('lines');
const $ = id => document.getElementById(id);
const escapes = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};
const html = text => String(text).replace(/[&<>"]/g, c => escapes[c]);
const floats = ['f32', 'bf16', 'f16', 'f64'];
/** The colour class of a type such as "16x8xbf16" or "f32 and bf16" (what later readers see counts). */
const colour = type => floats.find(f => new RegExp('(^|x| )' + f + '$').test(type)) || 'int';
const mixedColour = floats.includes(report.options.precision) ? report.options.precision : 'f32';
const isMixed = report.options.precision !== 'f32';

function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; n >= 1024 && unit < units.length - 1; ++unit) n /= 1024;
  return (unit === 0 || n >= 100 ? n.toFixed(0) : n.toFixed(n >= 10 ? 1 : 2)) + ' ' + units[unit];
}

let step, layout, indexOf, readers, castsOf, castById;

// ---- Totals ----
function meter(rows) {
  const most = Math.max(1, ...rows.map(row => row.value));
  return '<div class="meter">' + rows.map(row => `<span>${html(row.label)}</span><span class="track"><span class="fill ${row.colour}"
    style="display:block;width:${(100 * row.value / most).toFixed(1)}%"></span></span><span class="number">${bytes(row.value)}</span>`).join('') + '</div>';
}
const both = pair => meter([{label: 'f32', value: pair.f32, colour: 'f32'},
  ...(isMixed ? [{label: mixedColour, value: pair.mixed, colour: mixedColour}] : [])]);
const share = (a, b) => b ? (a / b).toFixed(2) : 'none';
const card = (title, body) => `<div class="card"><h3>${title}</h3>${body}</div>`;

function pairCard(title, pair, note) {
  const big = isMixed ? `${share(pair.mixed, pair.f32)} <small>of f32${note || ''}</small>` : bytes(pair.f32);
  return card(title, `<div class="big">${big}</div>${both(pair)}`);
}

function stateCard() {
  const {f32, mixed} = report.state_bytes;
  const names = {parameter: 'parameters (master weights)', working: 'working copies', moment: 'moments', gradient: 'stored gradients',
    buffer: 'buffers', ema: 'averages', scale: 'loss scale', step: 'step counter', random: 'random counter'};
  const roles = Object.keys(names).filter(role => f32[role] || mixed[role]);
  const row = (label, key, style) => `<tr${style}><th>${label}</th><td>${bytes(f32[key] || 0)}</td>${
    isMixed ? `<td>${bytes(mixed[key] || 0)}</td>` : ''}</tr>`;
  return card('State', `<table class="small"><thead><tr><th></th><th>f32</th>${isMixed ? `<th>${mixedColour}</th>` : ''}</tr></thead><tbody>${
    roles.map(role => row(names[role], role, '')).join('')}${row('all', 'total', ' class="sum"')}</tbody></table>`);
}

function countsCard() {
  const parts = ['forward', 'backward', 'optimizer'];
  const types = [...new Set(parts.flatMap(part => Object.keys(step.counts[part] || {})))].sort(
    (a, b) => (floats.includes(b) - floats.includes(a)) || (a < b ? -1 : 1));
  const head = types.map(type => `<th><span class="swatch ${colour(type)}"></span>${html(type)}</th>`).join('');
  return card('Ops by the type they compute in', `<table class="small"><thead><tr><th></th>${head}</tr></thead><tbody>${
    parts.map(part => `<tr><th>${part}</th>${types.map(type => `<td>${(step.counts[part] || {})[type] || ''}</td>`).join('')}</tr>`).join('')}</tbody></table>`);
}

function costCard() {
  const costs = Object.entries(step.policy_costs);
  if (!costs.length) return '';
  costs.sort((a, b) => a[1] - b[1]);
  const rows = costs.map(([label, value]) => ({label, value, colour: label === report.options.policy ? mixedColour : 'other'}));
  return card('Bytes moved, by policy', meter(rows) + `<p class="note" style="margin:8px 0 0">Under the same compute types. Chosen: ${html(report.options.policy)}.</p>`);
}

function scalingCard() {
  const scaling = step.loss_scaling;
  if (scaling.left_out_because)
    return card('Loss scaling', `<div class="big">none</div><p class="note">${html(scaling.left_out_because)}</p>`);
  if (scaling.initial === undefined) return '';
  const rows = scaling.dynamic
    ? [['growth', `&times; ${scaling.growth} after ${scaling.interval} good steps`], ['backoff', `&times; ${scaling.backoff}`],
       ['floor, cap', `${scaling.floor || 'none'}, ${scaling.cap || 'none'}`], ['hysteresis', scaling.hysteresis], ['state', html(scaling.state)]]
    : [['state', html(scaling.state)]];
  return card('Loss scaling', `<div class="big">${scaling.initial} <small>${scaling.dynamic ? 'at first, dynamic' : 'static'}</small></div>
    <table class="small" style="margin-top:6px"><tbody>${rows.map(([k, v]) => `<tr><th>${k}</th><td>${v}</td></tr>`).join('')}</tbody></table>`);
}

function showTotals() {
  const totals = step.totals, casts = step.counts.casts || {};
  const castRows = Object.entries(casts).map(([way, count]) => `<tr><th>${html(way)}</th><td>${count}</td></tr>`).join('');
  const rows = [['ops', 'operations'], ['kernel launches', 'launches'], ['distinct kernels', 'distinct_kernels']].map(([label, key]) =>
    `<tr><th>${label}</th><td>${totals[key].f32}</td>${isMixed ? `<td>${totals[key].mixed}</td>` : ''}</tr>`).join('');
  $('cards').innerHTML = [
    pairCard('Kept from forward to backward', totals.saved_bytes),
    pairCard('Arena', totals.arena_bytes),
    isMixed ? costCard() : '',
    stateCard(),
    card('One step', `<table class="small"><thead><tr><th></th><th>f32</th>${isMixed ? `<th>${mixedColour}</th>` : ''}</tr></thead><tbody>${rows}
      <tr><th>scratch per thread</th><td>${bytes(report.scratch_bytes_per_thread.f32)}</td>${
        isMixed ? `<td>${bytes(report.scratch_bytes_per_thread.mixed)}</td>` : ''}</tr></tbody></table>`),
    countsCard(),
    card('Inserted casts', `<div class="big">${step.casts.length}</div><table class="small" style="margin-top:6px"><tbody>${castRows}
      <tr><th>again in the backward pass</th><td>${step.casts.filter(c => c.recomputed).length}</td></tr></tbody></table>`),
    scalingCard(),
  ].join('');
}

// ---- Graph ----
const view = {x: 0, y: 0, scale: 1};
const tileWidth = 1600;
let tiles = [];
let selected = -1, matches = [], match = -1;

const label = op => op.op === 'input' ? op.name : op.op.replace(/^train\./, '');

function nodeText(op, i) {
  const [x, y, w, h] = layout.operations[i];
  const stored = colour(op.stored);
  return `<g class="op ${colour(op.computes)}" data-i="${i}"><rect class="body" x="${x}" y="${y}" width="${w}" height="${h}" rx="5"/>
<rect class="strip ${stored}" x="${x + w - 7}" y="${y}" width="7" height="${h}" rx="2"/><text class="label" x="${x + 7}" y="${y + 16}">${html(label(op))}</text>
<text class="type" x="${x + w - 11}" y="${y + 16}">${html(op.computes)}</text></g>`;
}

/** Forward to the right, backward to the left, between the lanes and within a group downwards. */
function edgeText(from, to, operand) {
  const a = layout.operations[from], b = layout.operations[to], source = step.operations[from], reader = step.operations[to];
  const lane = op => op.part === 'input' ? 'forward' : op.part;
  const saved = lane(source) === 'forward' && lane(reader) === 'backward';
  let start, end, curve;
  if (lane(source) !== lane(reader) || source.group === reader.group || reader.part === 'optimizer') {
    start = [a[0] + a[2] / 2, a[1] + a[3]], end = [b[0] + b[2] / 2, b[1]];
    const bend = Math.min(60, Math.abs(end[1] - start[1]) / 2);
    curve = `M${start}C${start[0]},${start[1] + bend} ${end[0]},${end[1] - bend} ${end}`;
  } else {
    const right = lane(source) === 'forward';
    start = [right ? a[0] + a[2] : a[0], a[1] + a[3] / 2], end = [right ? b[0] : b[0] + b[2], b[1] + b[3] / 2];
    const bend = (right ? 1 : -1) * Math.max(24, Math.min(120, Math.abs(end[0] - start[0]) / 2));
    curve = `M${start}C${start[0] + bend},${start[1]} ${end[0] - bend},${end[1]} ${end}`;
  }
  const classes = `${colour(operand.type)}${saved ? ' saved' : ''}`;
  const isShared = op => op.part === 'optimizer' && op.group === step.name;
  const far = isShared(source) !== isShared(reader) ? ' shared' : Math.abs(end[0] - start[0]) > 900 ? ' far' : '';
  const diamond = operand.casts ? `<path class="diamond ${classes}" data-a="${from}" data-b="${to}" d="M${end[0]},${end[1] - 5}l5,5l-5,5l-5,-5z"/>` : '';
  return `<path class="edge ${classes}${far}" data-a="${from}" data-b="${to}" d="${curve}"/>${diamond}`;
}

function drawGraph() {
  const laneOf = part => ({forward: 0, backward: 1, optimizer: 2}[part]);
  const bottom = layout.lanes[1][1] + layout.lanes[1][3];
  const bands = layout.bands.map(band => {
    const top = 6 + 26 * band.depth;
    return `<rect class="band" x="${band.from - 20}" y="${top}" width="${band.to - band.from + 40}" height="${bottom - top}" rx="10" opacity="${band.depth ? .8 : .5}"/>
      <text class="band-label" x="${band.from - 10}" y="${top + 18}">${html(band.label)}</text>`;
  });
  // Tiles keep what lies outside the window out of the browser's work.
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
    put(0, x, x + Math.min(w, tileWidth), `<g class="group lane-${laneOf(group.part)}"><title>${html((group.path ? group.path + '/' : '') + group.label)}</title>
      <rect x="${x}" y="${y}" width="${w}" height="${h}" rx="8"/></g>`);
    put(3, x, x + Math.min(w, tileWidth), `<text data-g="${i}"></text>`);
  });
  step.operations.forEach((op, to) => {
    const [x, , w] = layout.operations[to];
    put(2, x, x + w, nodeText(op, to));
    op.operands.forEach(operand => {
      const from = operand.from === undefined ? undefined : indexOf.get(operand.from);
      if (from === undefined) return;
      const other = layout.operations[from];
      put(1, Math.min(x, other[0]), Math.max(x + w, other[0] + other[2]), edgeText(from, to, operand));
    });
  });
  tiles.sort((a, b) => a.number - b.number);
  $('view').innerHTML = bands.join('') + tiles.map(tile => `<g class="tile">${tile.parts[0].join('')}${tile.parts[1].join('')}${tile.parts[2].join('')}
    <g class="group-labels">${tile.parts[3].join('')}</g></g>`).join('');
  document.querySelectorAll('#view .tile').forEach((element, i) => { tiles[i].element = element; });
  $('lane-labels').innerHTML = ['forward', 'backward', 'optimizer'].map(name => `<div>${name}</div>`).join('');
}

const graphSize = () => ({width: $('graph').clientWidth, height: $('graph').clientHeight});

let frame = 0;
function moved() {
  if (!frame) frame = requestAnimationFrame(applyView);
}
function applyView() {
  frame = 0;
  const {scale} = view;
  $('view').setAttribute('transform', `translate(${view.x.toFixed(2)} ${view.y.toFixed(2)}) scale(${scale.toFixed(5)})`);
  for (const tile of tiles) {
    const isSeen = view.x + tile.to * scale > -40 && view.x + tile.from * scale < graphSize().width + 40;
    tile.element.style.display = isSeen ? '' : 'none';
  }
  const drawing = $('drawing').classList;
  drawing.toggle('far', scale < 0.5);
  drawing.toggle('very-far', scale < 0.2);
  fitLabels();
  document.querySelectorAll('#lane-labels div').forEach((div, i) => {
    const [, y, , h] = layout.lanes[i], top = Math.max(0, view.y + y * scale), end = Math.min(graphSize().height, view.y + (y + h) * scale);
    div.style.top = top + 'px';
    div.style.height = Math.max(0, end - top) + 'px';
    div.style.fontSize = end - top < 64 ? '0' : '';
  });
  drawOverview();
}

/** Labels of groups grow as the drawing shrinks, as long as they fit. */
let labelScale = null;
function fitLabels() {
  const level = Math.round(Math.log2(view.scale) * 3);
  if (level === labelScale) return;
  labelScale = level;
  const wanted = Math.max(12.5, Math.min(64, 10.5 / view.scale));
  document.querySelectorAll('#view .group-labels text').forEach(text => {
    const group = layout.groups[text.dataset.g], [x, y, w] = group.box;
    const isFar = wanted > 21, width = isFar ? w + 40 : w - 18;
    const size = Math.max(12.5, Math.min(wanted, width / (0.66 * group.label.length)));
    const room = Math.floor(width / (0.6 * size));
    text.setAttribute('font-size', size.toFixed(1));
    text.setAttribute('x', isFar ? x : x + 10);
    text.setAttribute('y', isFar ? y - 5 : y + 17);
    text.textContent = group.label.length > room ? group.label.slice(0, room - 1) + '\u2026' : group.label;
    text.style.display = size * view.scale < 4.5 ? 'none' : '';
  });
  document.querySelectorAll('#view .band-label').forEach(text => { text.style.fontSize = Math.max(13, Math.min(26, 11 / view.scale)) + 'px'; });
}

function zoom(factor, x, y) {
  const size = graphSize();
  x ??= size.width / 2, y ??= size.height / 2;
  const scale = Math.max(0.01, Math.min(3, view.scale * factor));
  view.x = x - (x - view.x) * scale / view.scale;
  view.y = y - (y - view.y) * scale / view.scale;
  view.scale = scale;
  moved();
}
/** The whole step, or, where that would be a thin line, all lanes around the middle of the window. */
function fitAll() {
  const size = graphSize(), middle = (size.width / 2 - view.x) / view.scale;
  const tall = (size.height - 12) / layout.height, wide = (size.width - 50) / layout.width;
  view.scale = Math.min(1, tall, Math.max(wide, 0.6 * tall));
  const width = layout.width * view.scale;
  view.x = width < size.width ? 26 + (size.width - 26 - width) / 2
    : Math.max(size.width - width, Math.min(10, size.width / 2 - middle * view.scale));
  view.y = Math.max(6, (size.height - layout.height * view.scale) / 2);
  moved();
}
/** Forward and backward pass fill the height, from the start; small enough to see a few groups. */
function fitHeight() {
  const size = graphSize(), [, y, , h] = layout.lanes[1];
  view.scale = Math.max(0.8, Math.min(1, size.height / (y + h + 10)));
  view.x = 10;
  view.y = 0;
  moved();
}
function centre(i) {
  const [x, y, w, h] = layout.operations[i], size = graphSize();
  view.scale = Math.max(view.scale, 0.75);
  view.x = size.width / 2 - (x + w / 2) * view.scale;
  view.y = size.height / 2 - (y + h / 2) * view.scale;
  moved();
}

function drawOverview() {
  const canvas = $('overview'), ratio = devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio), canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d'), style = getComputedStyle(document.documentElement);
  const value = name => style.getPropertyValue(name);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const sx = width / layout.width, sy = height / layout.height;
  const colours = Object.fromEntries([...floats, 'int'].map(type => [type, value(`--${type}-line`)]));
  step.operations.forEach((op, i) => {
    const [x, y, w, h] = layout.operations[i];
    context.fillStyle = colours[colour(op.computes)];
    context.fillRect(x * sx, y * sy, Math.max(1, w * sx), Math.max(1, h * sy));
  });
  const size = graphSize(), left = -view.x / view.scale * sx, top = -view.y / view.scale * sy;
  context.strokeStyle = value('--text');
  context.lineWidth = 2;
  context.strokeRect(Math.max(1, left), Math.max(1, top), Math.min(width - 2, size.width / view.scale * sx), Math.min(height - 2, size.height / view.scale * sy));
}

function wireGraph() {
  const graph = $('graph');
  let drag = null;
  graph.addEventListener('wheel', event => {
    // The page scrolls until the graph has the focus.
    if (!(event.ctrlKey || event.metaKey || graph.contains(document.activeElement))) return;
    event.preventDefault();
    const box = graph.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), event.clientX - box.left, event.clientY - box.top);
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
    const by = 80, keys = {ArrowLeft: [by, 0], ArrowRight: [-by, 0], ArrowUp: [0, by], ArrowDown: [0, -by]};
    if (keys[event.key]) view.x += keys[event.key][0], view.y += keys[event.key][1], moved();
    else if (event.key === '+' || event.key === '=') zoom(1.25);
    else if (event.key === '-') zoom(0.8);
    else if (event.key === '0') fitAll();
    else if (event.key === 'Escape') select(-1);
    else return;
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
  $('show-saved').onchange = event => $('drawing').classList.toggle('no-saved', !event.target.checked);
  new ResizeObserver(moved).observe(graph);
  // On paper: the whole step, whatever the window shows.
  addEventListener('beforeprint', () => {
    $('drawing').setAttribute('viewBox', `0 0 ${layout.width} ${layout.height}`);
    $('view').removeAttribute('transform');
    for (const tile of tiles) tile.element.style.display = '';
  });
  addEventListener('afterprint', () => { $('drawing').removeAttribute('viewBox'); moved(); });
}

function select(i, focus) {
  document.querySelectorAll('#view .selected, #view .near, #view .lit').forEach(e => e.classList.remove('selected', 'near', 'lit'));
  selected = i;
  if (i >= 0) {
    const near = new Set([...readers[i], ...step.operations[i].operands.map(o => indexOf.get(o.from))]);
    document.querySelectorAll('#view .op').forEach(e => {
      if (Number(e.dataset.i) === i) e.classList.add('selected');
      else if (near.has(Number(e.dataset.i))) e.classList.add('near');
    });
    document.querySelectorAll(`#view [data-a="${i}"], #view [data-b="${i}"]`).forEach(e => e.classList.add('lit'));
    if (focus) centre(i);
  }
  showDetails(i);
}

// ---- Details of an op ----
const link = i => `<button type="button" class="link" data-go="${i}">${html(label(step.operations[i]))}</button> <span class="mono">${html(step.operations[i].name)}</span>`;
const chip = (type, words) => `<span class="chip ${colour(type)}">${html(words || type)}</span>`;

function castText(cast) {
  return `${html(cast.from)} to ${html(cast.to)}${cast.recomputed ? ', again in the backward pass' : ''}: ${html(cast.reason)}`;
}
function operandText(operand) {
  const from = operand.from === undefined ? `<span class="mono">${html(operand.label)}</span>` : link(indexOf.get(operand.from));
  const casts = (operand.casts || []).map(id => castById.get(id)).reverse().map(cast => `<br>cast ${castText(cast)}`).join('');
  return `<li>${from} ${chip(operand.type)}${casts}</li>`;
}

function sourceText(op) {
  if (!op.source) return '';
  const line = lines[op.source.split(':')[1]];
  return `<h3>Source</h3><span class="mono">${html(op.source)}</span>${line ? `<pre>${html(line)}</pre>` : ''}`;
}

function showDetails(i) {
  const panel = $('details');
  if (i < 0) {
    panel.innerHTML = `<p class="name">No op selected</p><p class="note" style="margin-top:6px">Click an op to see in which type it computes, why, and what it costs.
      Drag to move; click into the graph, then the wheel zooms. Keys: arrows, +, &minus;, 0; / searches.</p>`;
    return;
  }
  const op = step.operations[i], behind = castsOf[i];
  const reason = op.reason ? `<p class="reason">${html(op.reason)} <span class="chip">${html(op.rule)}</span></p>`
    : `<p class="reason">The precision phase had nothing to decide here: ${
        op.op === 'input' ? 'inputs keep their type.' : floats.includes(op.computes) ? 'the op was added later, for the loss scale, in f32.' : 'no float goes in or out.'}</p>`;
  const saving = op.f32_bytes ? ` (${share(op.bytes, op.f32_bytes)})` : '';
  panel.innerHTML = `<p class="name">${html(label(op))}</p><p class="mono">${html(op.name)}</p>
    <div class="chips"><span class="chip">${html(op.part)}</span>${op.category ? `<span class="chip">${html(op.category)}</span>` : ''}${
      op.recomputed ? '<span class="chip">recomputed</span>' : ''}${chip(op.computes, 'computes in ' + op.computes)}${chip(op.stored, 'stored in ' + op.stored)}</div>
    ${reason}
    <h3>Result</h3><span class="mono">${html(op.shape ? op.shape + ' x ' + op.stored : op.stored)}</span>
    <table class="small"><tbody><tr><th>if all were f32</th><td>${bytes(op.f32_bytes)}</td></tr><tr><th>as stored</th><td>${bytes(op.bytes)}${saving}</td></tr>
    ${op.saved_bytes ? `<tr><th>kept for the backward pass</th><td>${bytes(op.saved_bytes)}</td></tr>` : ''}</tbody></table>
    ${behind.length ? `<h3>Casts behind it</h3><ul>${behind.map(cast => `<li>${castText(cast)}${cast.saved_bytes ? ` (${bytes(cast.saved_bytes)} kept)` : ''}</li>`).join('')}</ul>` : ''}
    ${op.operands.length ? `<h3>Reads</h3><ul>${op.operands.map(operandText).join('')}</ul>` : ''}
    ${readers[i].length ? `<h3>Read by</h3><ul>${readers[i].map(r => `<li>${link(r)}</li>`).join('')}</ul>` : ''}
    ${sourceText(op)}`;
  panel.scrollTop = 0;
}

// ---- Search ----
function search(words) {
  words = words.trim().toLowerCase();
  matches = [];
  match = -1;
  const nodes = document.querySelectorAll('#view .op');
  nodes.forEach(node => {
    const i = Number(node.dataset.i), op = step.operations[i];
    const found = words !== '' && [op.id, op.op, ...op.operands.map(o => o.label || '')].some(text => text.toLowerCase().includes(words));
    node.classList.toggle('match', found);
    if (found) matches.push(i);
  });
  matches.sort((a, b) => a - b);
  $('drawing').classList.toggle('searching', words !== '');
  $('matches').textContent = words === '' ? '' : matches.length + (matches.length === 1 ? ' match' : ' matches');
}
function goToMatch(by) {
  if (!matches.length) return;
  match = (match + by + matches.length) % matches.length;
  $('matches').textContent = `${match + 1} of ${matches.length}`;
  select(matches[match], true);
}

// ---- Memory ----
const plot = {left: 78, right: 14, top: 26, bottom: 26, width: 1200, height: 280};
let cursor = null;

function axisTop(most) {
  const power = 2 ** Math.floor(Math.log2(most || 1));
  return [1, 1.25, 1.5, 1.75, 2].map(f => f * power).find(top => top >= most * 1.02) || 2 * power;
}
function chartSides() {
  const memory = step.memory;
  return isMixed ? [['f32', memory.f32], [mixedColour, memory.mixed]] : [['f32', memory.f32]];
}
function drawChart() {
  plot.width = Math.max(420, $('chart').clientWidth - 18);
  const inner = plot.width - plot.left - plot.right, tall = plot.height - plot.top - plot.bottom;
  const sides = chartSides(), top = axisTop(Math.max(1, ...sides.flatMap(([, m]) => m.kernels.map(k => k.live_bytes))));
  const x = (i, n) => plot.left + inner * i / Math.max(1, n), y = value => plot.top + tall * (1 - value / top);
  let out = '';
  for (let i = 0; i <= 4; ++i)
    out += `<line class="grid" x1="${plot.left}" x2="${plot.width - plot.right}" y1="${y(top * i / 4)}" y2="${y(top * i / 4)}"/>
      <text x="${plot.left - 8}" y="${y(top * i / 4) + 4}" text-anchor="end">${bytes(top * i / 4)}</text>`;
  sides.forEach(([type, memory], which) => {
    const n = memory.kernels.length;
    let path = `M${x(0, n)},${y(0)}`;
    memory.kernels.forEach((kernel, i) => { path += `L${x(i, n).toFixed(1)},${y(kernel.live_bytes).toFixed(1)}H${x(i + 1, n).toFixed(1)}`; });
    out += `<path class="area ${type}" d="${path}V${y(0)}Z"/>`;
    if (!n) return;
    const peak = memory.peak_kernel, value = memory.kernels[peak].live_bytes, px = x(peak + 0.5, n);
    const anchor = px > plot.width * 0.75 ? 'end' : px < plot.width * 0.25 ? 'start' : 'middle';
    out += `<circle cx="${px}" cy="${y(value)}" r="4" fill="var(--${type}-line)"/><text class="peak" x="${px}" y="${y(value) - 8}" text-anchor="${anchor}">peak ${type}: ${bytes(value)}</text>`;
  });
  out += `<text x="${plot.left}" y="${plot.height - 8}">first kernel</text><text x="${plot.width - plot.right}" y="${plot.height - 8}" text-anchor="end">last kernel</text>`;
  if (cursor !== null) out += `<line class="cursor" x1="${plot.left + inner * cursor}" x2="${plot.left + inner * cursor}" y1="${plot.top}" y2="${plot.height - plot.bottom}"/>`;
  $('chart').innerHTML = `<svg viewBox="0 0 ${plot.width} ${plot.height}" role="img" aria-label="Live bytes over the schedule">${out}</svg>`;
  showLive();
}
function showLive() {
  $('live').style.gridTemplateColumns = isMixed ? '' : '1fr';
  $('live').innerHTML = chartSides().map(([type, memory]) => {
    const n = memory.kernels.length;
    if (!n) return '';
    const i = cursor === null ? memory.peak_kernel : Math.min(n - 1, Math.floor(cursor * n)), kernel = memory.kernels[i];
    const live = memory.buffers.filter(b => b.first <= i && i <= b.last).sort((a, b) => b.bytes - a.bytes);
    const shown = live.slice(0, 8), rest = live.slice(8).reduce((sum, b) => sum + b.bytes, 0);
    return card(`<span class="swatch ${type}"></span>${type}: ${i === memory.peak_kernel ? 'peak, ' : ''}kernel ${i + 1} of ${n}, ${bytes(kernel.live_bytes)} live`,
      `<p class="mono">${html(kernel.kernel)} ${html(kernel.name)}</p><table class="small" style="margin-top:6px"><tbody>${
        shown.map(b => `<tr><td>${html(b.name)}</td><td class="mono">${html(b.type)}</td><td>${bytes(b.bytes)}</td></tr>`).join('')}${
        rest ? `<tr><td>${live.length - 8} smaller</td><td></td><td>${bytes(rest)}</td></tr>` : ''}</tbody></table>`);
  }).join('');
}
function wireChart() {
  const chart = $('chart');
  const to = value => { cursor = Math.max(0, Math.min(0.9999, value)); drawChart(); };
  chart.addEventListener('pointermove', event => {
    const box = chart.firstElementChild.getBoundingClientRect(), scale = box.width / plot.width;
    to(((event.clientX - box.left) / scale - plot.left) / (plot.width - plot.left - plot.right));
  });
  chart.addEventListener('pointerleave', () => { cursor = null; drawChart(); });
  chart.addEventListener('keydown', event => {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!by) return;
    event.preventDefault();
    const n = step.memory.mixed.kernels.length, now = cursor === null ? step.memory.mixed.peak_kernel : Math.floor(cursor * n);
    to((now + by + 0.5) / n);
  });
  let width = 0;
  new ResizeObserver(() => { if (chart.clientWidth !== width) width = chart.clientWidth, drawChart(); }).observe(chart);
}

// ---- Tables ----
const pageSize = 200;
class Table {
  constructor(id, columns, rows, pick) {
    Object.assign(this, {element: $(id), count: $(id + '-count'), columns, rows, pick, sort: -1, down: false, shown: pageSize});
    this.filters = [...document.querySelectorAll(`#${id}-section .bar input, #${id}-section .bar select`)];
    for (const filter of this.filters) filter.oninput = () => { this.shown = pageSize; this.draw(); };
    this.element.onclick = event => this.click(event);
  }
  click(event) {
    const head = event.target.closest('th'), row = event.target.closest('tr[data-i]');
    if (event.target.closest('.more')) this.shown = Infinity;
    else if (head) {
      const column = [...head.parentNode.children].indexOf(head);
      this.down = this.sort === column ? !this.down : Boolean(this.columns[column].number);
      this.sort = column;
    } else {
      if (row) this.pick(Number(row.dataset.i));
      return;
    }
    this.draw();
  }
  visible() {
    const numbers = this.rows.map((_, i) => i).filter(i => this.filters.every(filter => {
      const wanted = filter.value.trim().toLowerCase();
      if (!wanted) return true;
      const field = filter.dataset.field;
      return field ? String(this.rows[i][field] || 'none').toLowerCase() === wanted : this.columns.some(c => String(c.value(this.rows[i])).toLowerCase().includes(wanted));
    }));
    if (this.sort < 0) return numbers;
    const value = this.columns[this.sort].value, sign = this.down ? -1 : 1;
    const keys = new Map(numbers.map(i => [i, value(this.rows[i])]));
    return numbers.sort((a, b) => (keys.get(a) < keys.get(b) ? -sign : keys.get(a) > keys.get(b) ? sign : a - b));
  }
  draw() {
    const all = this.visible(), some = all.slice(0, this.shown);
    this.count.textContent = `${all.length} of ${this.rows.length}`;
    const head = this.columns.map((c, i) => `<th class="${c.number ? 'number' : ''}" aria-sort="${this.sort === i ? (this.down ? 'descending' : 'ascending') : 'none'}">
      <button type="button">${c.title}${this.sort === i ? (this.down ? ' &#9660;' : ' &#9650;') : ''}</button></th>`).join('');
    const cell = (c, row) => `<td class="${c.number ? 'number' : c.style || ''}">${c.show ? c.show(row) : c.number ? (c.value(row) ? bytes(c.value(row)) : '') : html(c.value(row))}</td>`;
    const more = all.length > some.length ? `<tr><td colspan="${this.columns.length}"><button type="button" class="more">Show all ${all.length}</button></td></tr>` : '';
    this.element.innerHTML = `<thead><tr>${head}</tr></thead><tbody>${some.map(i => `<tr data-i="${i}">${this.columns.map(c => cell(c, this.rows[i])).join('')}</tr>`).join('')}${more}</tbody>`;
  }
}
const typed = type => `<span class="swatch ${colour(type)}"></span>${html(type)}`;
const choices = (id, field, title, rows) => {
  const values = [...new Set(rows.map(row => row[field] || 'none'))].sort();
  $(id).dataset.field = field;
  $(id).innerHTML = `<option value="">${title}</option>` + values.map(v => `<option>${html(v)}</option>`).join('');
};
function goTo(i) {
  select(i, true);
  $('graph-section').scrollIntoView({behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'});
}
function showTables() {
  choices('operations-part', 'part', 'all parts', step.operations);
  choices('operations-type', 'computes', 'all types', step.operations);
  choices('operations-rule', 'rule', 'all rules', step.operations);
  choices('casts-part', 'part', 'all parts', step.casts);
  new Table('operations', [
    {title: 'Op', value: label}, {title: 'Name', value: op => op.name, style: 'name mono'}, {title: 'Part', value: op => op.part},
    {title: 'Computes', style: 'type', value: op => op.computes, show: op => typed(op.computes)}, {title: 'Stored', style: 'type', value: op => op.stored, show: op => typed(op.stored)},
    {title: 'Rule', value: op => op.rule || ''}, {title: 'Reason', value: op => op.reason || '', style: 'reason'},
    {title: 'f32', number: true, value: op => op.f32_bytes}, {title: 'Stored bytes', number: true, value: op => op.bytes},
    {title: 'Kept', number: true, value: op => op.saved_bytes || 0}, {title: 'Source', value: op => op.source || '', style: 'mono source'},
  ], step.operations, goTo).draw();
  const readersText = cast => cast.readers.map(id => label(step.operations[indexOf.get(id)])).join(', ') || 'state';
  new Table('casts', [
    {title: 'From', style: 'type', value: c => c.from, show: c => typed(c.from)}, {title: 'To', style: 'type', value: c => c.to, show: c => typed(c.to)},
    {title: 'Of', value: c => c.of, style: 'name mono'}, {title: 'Read by', value: readersText}, {title: 'Part', value: c => c.part},
    {title: 'Reason', value: c => c.reason, style: 'reason'}, {title: 'Bytes', number: true, value: c => c.bytes},
    {title: 'Kept', number: true, value: c => c.saved_bytes || 0}, {title: 'Source', value: c => c.source || '', style: 'mono source'},
  ], step.casts, i => { const of = indexOf.get(step.casts[i].of); if (of !== undefined) goTo(of); }).draw();
}

// ---- Page ----
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  $('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
}
function showLegend() {
  const sample = (type, stored) => `<svg width="34" height="18"><g class="op ${type}"><rect class="body" x="1" y="1" width="32" height="16" rx="4"/><rect class="strip ${stored}" x="26" y="1" width="7" height="16" rx="2"/></g></svg>`;
  const used = [...new Set(step.operations.map(op => colour(op.computes)))];
  $('legend').innerHTML = used.map(type => `<span>${sample(type, type)}computes in ${type === 'int' ? 'integers or bits' : type}</span>`).join('')
    + `<span>${sample('f32', mixedColour)}right edge: type the result is stored in</span>`
    + `<span><svg width="16" height="16"><path class="diamond ${mixedColour}" d="M8,2l6,6l-6,6l-6,-6z"/></svg>inserted cast</span>`
    + `<span><svg width="34" height="12"><path class="edge saved ${mixedColour}" style="opacity:1" d="M0,6H34"/></svg>kept for the backward pass</span>`;
}
function showStep(number) {
  step = report.steps[number];
  layout = layouts[number];
  indexOf = new Map(step.operations.map((op, i) => [op.id, i]));
  castById = new Map(step.casts.map(cast => [cast.id, cast]));
  readers = step.operations.map(() => []);
  step.operations.forEach((op, i) => op.operands.forEach(operand => {
    const from = indexOf.get(operand.from);
    if (from !== undefined && !readers[from].includes(i)) readers[from].push(i);
  }));
  castsOf = step.operations.map(() => []);
  for (const cast of step.casts) if (indexOf.has(cast.of)) castsOf[indexOf.get(cast.of)].push(cast);
  cursor = null;
  showTotals();
  drawGraph();
  labelScale = null;
  showLegend();
  search($('search').value);
  select(-1);
  fitHeight();
  drawChart();
  showTables();
}
function start() {
  const options = report.options;
  $('title').textContent = report.model;
  $('subtitle').textContent = [report.file, options.precision === 'f32' ? 'f32' : `${options.precision} beside f32`, `policy ${options.policy}`, options.policy_file,
    options.master_weights ? '' : 'no master weights', ...options.overrides.map(o => 'override ' + o), ...options.edits.map(e => 'edit ' + e)].filter(Boolean).join(' \u00b7 ');
  setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  $('theme').onclick = () => { setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'); drawOverview(); };
  $('step').innerHTML = report.steps.map((s, i) => `<option value="${i}">${html(s.name)}</option>`).join('');
  $('step').onchange = event => showStep(Number(event.target.value));
  $('step-choice').hidden = report.steps.length < 2;
  $('search').oninput = event => search(event.target.value);
  $('search').onkeydown = event => {
    if (event.key === 'Enter') goToMatch(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') event.target.value = '', search('');
  };
  $('next').onclick = () => goToMatch(1);
  $('previous').onclick = () => goToMatch(-1);
  $('details').onclick = event => { const go = event.target.dataset.go; if (go !== undefined) select(Number(go), true); };
  $('footer').textContent = `ampc report, schema ${report.version}. Bytes and types are those of the compiled programs.`;
  wireGraph();
  wireChart();
  showStep(0);
}
start();
