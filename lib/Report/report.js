// Data of the page, totals, and start-up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';
const read = id => JSON.parse(document.getElementById(id).textContent);
const report = read('report'), layouts = read('layouts'), lines = read('lines');
const $ = id => document.getElementById(id);
const escapes = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;'
};
const html = text => String(text).replace(/[&<>"]/g, c => escapes[c]);
const floats = ['f32', 'bf16', 'f16', 'f64'];
/**
 * Colour class of a type such as "16x8xbf16" or "f32 and bf16"; of two types, the last counts,
 * which later consumers read.
 */
const colour = type => floats.find(f => new RegExp('(^|x| )' + f + '$').test(type)) || 'int';
const mixedColour = floats.includes(report.options.precision) ? report.options.precision : 'f32';
const isMixed = report.options.precision !== 'f32';

function bytes(n) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; n >= 1024 && unit < units.length - 1; ++unit) n /= 1024;
  return (unit === 0 || n >= 100 ? n.toFixed(0) : n.toFixed(n >= 10 ? 1 : 2)) + ' ' + units[unit];
}

/** Text of a time in nanoseconds, with three digits. */
const time = ns => Number((ns / 1e6).toPrecision(3)) + ' ms';
const isTimed = side => Boolean(step.times && step.times[side]);

let step, layout, indexOf, readers, castsOf, castById;

// ---- Totals ----
function meter(rows, show = bytes) {
  const most = Math.max(...rows.map(row => row.value)) || 1;
  return '<div class="meter">' +
      rows.map(
              row => `<span>${html(row.label)}</span><span class="track"><span class="fill ${
                  row.colour}"
    style="display:block;width:${
                  (100 * row.value / most).toFixed(1)}%"></span></span><span class="number">${
                  show(row.value)}</span>`)
          .join('') +
      '</div>';
}
const both = pair => meter([
  {label: 'f32', value: pair.f32, colour: 'f32'},
  ...(isMixed ? [{label: mixedColour, value: pair.mixed, colour: mixedColour}] : [])
]);
const share = (a, b) => b ? (a / b).toFixed(2) : 'none';
const card = (title, body) => `<div class="card"><h3>${title}</h3>${body}</div>`;

function pairCard(title, pair, note) {
  const big = isMixed ? `${share(pair.mixed, pair.f32)} <small>of f32${note || ''}</small>` :
                        bytes(pair.f32);
  return card(title, `<div class="big">${big}</div>${both(pair)}`);
}

/** Nanoseconds of kernels, by the part of the kernel's first op. */
function partTimes(side) {
  const sums = {forward: 0, backward: 0, optimizer: 0};
  for (const kernel of step.memory[side].kernels) sums[kernel.part] += kernel.nanoseconds;
  return sums;
}
function timeCard() {
  const sides = [['f32', 'f32'], ['mixed', mixedColour]].filter(
      ([side]) => isTimed(side) && (isMixed || side === 'f32'));
  if (!sides.length) return '';
  const {f32, mixed} = step.times, last = sides[sides.length - 1][0];
  const big = sides.length === 2 ?
      `${share(mixed.nanoseconds, f32.nanoseconds)} <small>of f32</small>` :
      time(step.times[last].nanoseconds);
  const rows = Object.entries(partTimes(last))
                   .map(([part, ns]) => `<tr><th>${html(part)}</th><td>${time(ns)}</td></tr>`);
  return card(
      'Time of a step',
      `<div class="big">${big}</div>${
          meter(
              sides.map(
                  ([side, type]) =>
                      ({label: type, value: step.times[side].nanoseconds, colour: type})),
              time)}
    <table class="small" style="margin-top:6px"><tbody>${rows.join('')}</tbody></table>
    <p class="note">Medians of ${step.times[last].runs} runs on ${
          html(step.times[last].tier)}. Kernels by first op${
          sides.length === 2 ? ', in ' + mixedColour : ''}.</p>`);
}

function stateCard() {
  const {f32, mixed} = report.state_bytes;
  const names = {
    parameter: 'parameters (master weights)',
    working: 'working copies',
    moment: 'moments',
    gradient: 'stored gradients',
    buffer: 'buffers',
    ema: 'averages',
    scale: 'loss scale',
    step: 'step counter',
    random: 'random counter'
  };
  const roles = Object.keys(names).filter(role => f32[role] || mixed[role]);
  const row = (label, key, style) => `<tr${style}><th>${label}</th><td>${
      bytes(f32[key] || 0)}</td>${isMixed ? `<td>${bytes(mixed[key] || 0)}</td>` : ''}</tr>`;
  return card(
      'State',
      `<table class="small"><thead><tr><th></th><th>f32</th>${
          isMixed ?
              `<th>${mixedColour}</th>` :
              ''}</tr></thead><tbody>${roles.map(role => row(names[role], role, '')).join('')}${
          row('all', 'total', ' class="sum"')}</tbody></table>`);
}

function countsCard() {
  const parts = ['forward', 'backward', 'optimizer'];
  const types = [...new Set(parts.flatMap(part => Object.keys(step.counts[part] || {})))].sort(
      (a, b) => (floats.includes(b) - floats.includes(a)) || (a < b ? -1 : 1));
  const head =
      types.map(type => `<th><span class="swatch ${colour(type)}"></span>${html(type)}</th>`)
          .join('');
  return card(
      'Ops by compute type',
      `<table class="small"><thead><tr><th></th>${head}</tr></thead><tbody>${
          parts
              .map(
                  part => `<tr><th>${part}</th>${
                      types.map(type => `<td>${(step.counts[part] || {})[type] || ''}</td>`)
                          .join('')}</tr>`)
              .join('')}</tbody></table>`);
}

function costCard() {
  const costs = Object.entries(step.policy_costs);
  if (!costs.length) return '';
  costs.sort((a, b) => a[1] - b[1]);
  const rows = costs.map(
      ([label, value]) =>
          ({label, value, colour: label === report.options.policy ? mixedColour : 'other'}));
  return card(
      'Bytes moved, by policy',
      meter(rows) +
          `<p class="note" style="margin:8px 0 0">Under the same compute types. Chosen: ${
              html(report.options.policy)}.</p>`);
}

function scalingCard() {
  const scaling = step.loss_scaling;
  if (scaling.left_out_because)
    return card(
        'Loss scaling',
        `<div class="big">none</div><p class="note">${html(scaling.left_out_because)}</p>`);
  if (scaling.initial === undefined) return '';
  const rows = scaling.dynamic ?
      [
        ['growth', `&times; ${scaling.growth} after ${scaling.interval} good steps`],
        ['backoff', `&times; ${scaling.backoff}`],
        ['floor, cap', `${scaling.floor || 'none'}, ${scaling.cap || 'none'}`],
        ['hysteresis', scaling.hysteresis], ['state', html(scaling.state)]
      ] :
      [['state', html(scaling.state)]];
  return card(
      'Loss scaling',
      `<div class="big">${scaling.initial} <small>${
          scaling.dynamic ? 'at first, dynamic' : 'static'}</small></div>
    <table class="small" style="margin-top:6px"><tbody>${
          rows.map(([k, v]) => `<tr><th>${k}</th><td>${v}</td></tr>`).join('')}</tbody></table>`);
}

const words = new Intl.NumberFormat(
    'en', {notation: 'compact', compactDisplay: 'long', maximumSignificantDigits: 3});
const againText = facts => `${(100 * facts.flops_again / facts.flops).toFixed(1)} % of the ${
    words.format(facts.flops)} operations of the step on numbers are repeated.`;

function checkpointCard() {
  const side = isMixed ? 'mixed' : 'f32';
  const facts = step.checkpoints[side], budget = step.budget[side];
  if (!facts) return '';
  if (budget)
    return card(
        'Activation budget',
        `<div class="big">${share(budget.held, budget.held_without)} <small>of the bytes ` +
            `without a budget</small></div>${meter([
              {label: 'without', value: budget.held_without, colour: 'other'},
              {label: 'budget', value: budget.bytes, colour: 'other'},
              {label: 'held', value: budget.held, colour: mixedColour}
            ])}<p class="note" style="margin:8px 0 0">Peak bytes of the forward pass's values for ` +
            `the backward pass, kept or recomputed. ${againText(facts)}</p>`);
  return card(
      'Checkpoints',
      `<div class="big">${bytes(step.totals.saved_value_bytes[side])} <small>in place of ${
          bytes(facts.saved_value_bytes_without)}</small></div>
    <p class="note">Values that the backward pass reads. The backward pass recomputes other values: ${
          againText(facts)}</p>`);
}

/** Results of the loss function beside the loss, with the op of each. */
function numbersCard() {
  const numbers = Object.entries(step.numbers).sort(([, a], [, b]) => a.place - b.place);
  if (!numbers.length) return '';
  return card(
      'Reported beside the loss',
      `<table class="small"><tbody>${
          numbers.map(([name, of]) => `<tr><th>${html(name)}</th><td>${makerText(of)}</td></tr>`)
              .join('')}</tbody></table>`);
}

function nonfiniteCard() {
  const {mode, gradient_bytes, kept_bytes} = step.nonfinite;
  const does = {
    allow: 'The step updates the state, and reports the number of infinite or NaN elements.',
    skip: 'The step changes no state, and reports the skip.',
    fail: 'The step changes no state, and returns an error.'
  }[mode];
  const price = mode === 'allow' ?
      `With skip all ${
          bytes(
              gradient_bytes)} of gradients would be kept until the last gradient is known; now at most ${
          bytes(kept_bytes)} of gradients wait for the update.` :
      `For that, ${bytes(kept_bytes)} of ${
          bytes(gradient_bytes)} of gradients are kept until the last gradient is known.`;
  return card(
      'Gradients that are not finite',
      `<div class="big">${html(mode)}</div><p class="note">${does} ${price}</p>`);
}

function showTotals() {
  const totals = step.totals, casts = step.counts.casts || {};
  const castRows = Object.entries(casts)
                       .map(([way, count]) => `<tr><th>${html(way)}</th><td>${count}</td></tr>`)
                       .join('');
  const rows =
      [
        ['ops', 'operations'], ['kernel launches', 'launches'],
        ['distinct kernels', 'distinct_kernels']
      ]
          .map(
              ([label, key]) => `<tr><th>${label}</th><td>${totals[key].f32}</td>${
                  isMixed ? `<td>${totals[key].mixed}</td>` : ''}</tr>`)
          .join('');
  $('cards').innerHTML = [
    timeCard(),
    pairCard('Kept from forward to backward', totals.saved_bytes),
    pairCard('Arena', totals.arena_bytes),
    checkpointCard(),
    isMixed ? costCard() : '',
    stateCard(),
    card(
        'One step',
        `<table class="small"><thead><tr><th></th><th>f32</th>${
            isMixed ? `<th>${mixedColour}</th>` : ''}</tr></thead><tbody>${rows}
      <tr><th>scratch per thread</th><td>${bytes(report.scratch_bytes_per_thread.f32)}</td>${
            isMixed ? `<td>${bytes(report.scratch_bytes_per_thread.mixed)}</td>` :
                      ''}</tr></tbody></table>`),
    countsCard(),
    card(
        'Inserted casts',
        `<div class="big">${
            step.casts.length}</div><table class="small" style="margin-top:6px"><tbody>${castRows}
      <tr><th>again in the backward pass</th><td>${
            step.casts.filter(c => c.recomputed).length}</td></tr></tbody></table>`),
    scalingCard(),
    numbersCard(),
    nonfiniteCard(),
  ].join('');
}

// ---- Page ----
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  $('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
}
function showLegend() {
  const sample = (type, stored) => `<svg width="34" height="18"><g class="op ${
      type}"><rect class="body" x="1" y="1" width="32" height="16" rx="4"/><rect class="strip ${
      stored}" x="26" y="1" width="7" height="16" rx="2"/></g></svg>`;
  const used = [...new Set(step.operations.map(op => colour(op.computes)))];
  $('legend').innerHTML =
      used.map(
              type => `<span>${sample(type, type)}computes in ${
                  type === 'int' ? 'integers or bits' : type}</span>`)
          .join('') +
      `<span>${sample('f32', mixedColour)}right edge: type the result is stored in</span>` +
      `<span><svg width="16" height="16"><path class="diamond ${
          mixedColour}" d="M8,2l6,6l-6,6l-6,-6z"/></svg>inserted cast</span>` +
      (layout.loops.length ?
           '<span><svg width="34" height="18"><g class="loop"><rect x="1" y="1" width="32" ' +
               'height="16" rx="4"/></g></svg>loop, with the ops of a round</span>' :
           '') +
      `<span><svg width="34" height="12"><path class="edge saved ${
          mixedColour}" style="opacity:1" d="M0,6H34"/></svg>kept for the backward pass</span>`;
}
function showStep(number) {
  step = report.steps[number];
  layout = layouts[number];
  indexOf = new Map(step.operations.map((op, i) => [op.id, i]));
  castById = new Map(step.casts.map(cast => [cast.id, cast]));
  readers = step.operations.map(() => []);
  // A loop reads the values that a round passes on.
  const operandsOf = op => [...op.operands, ...(op.next || []), ...(op.each || [])];
  step.operations.forEach((op, i) => operandsOf(op).forEach(operand => {
    const from = indexOf.get(operand.from);
    if (from !== undefined && from !== i && !readers[from].includes(i)) readers[from].push(i);
  }));
  castsOf = step.operations.map(() => []);
  for (const cast of step.casts)
    if (indexOf.has(cast.of)) castsOf[indexOf.get(cast.of)].push(cast);
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
  $('subtitle').textContent = [
    report.file, options.precision === 'f32' ? 'f32' : `${options.precision} beside f32`,
    `policy ${options.policy}`, options.policy_file,
    options.master_weights ? '' : 'no master weights',
    ...options.overrides.map(o => 'override ' + o), ...options.edits.map(e => 'edit ' + e)
  ].filter(Boolean).join(' \u00b7 ');
  setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  $('theme').onclick = () => {
    setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    drawOverview();
  };
  $('step').innerHTML =
      report.steps.map((s, i) => `<option value="${i}">${html(s.name)}</option>`).join('');
  $('step').onchange = event => showStep(Number(event.target.value));
  $('step-choice').hidden = report.steps.length < 2;
  $('search').oninput = event => search(event.target.value);
  $('search').onkeydown = event => {
    if (event.key === 'Enter') goToMatch(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') event.target.value = '', search('');
  };
  $('next').onclick = () => goToMatch(1);
  $('previous').onclick = () => goToMatch(-1);
  const follow = event => {
    const go = event.target.dataset.go;
    if (go !== undefined) select(Number(go), true);
  };
  $('details').onclick = follow;
  $('cards').onclick = follow;
  $('footer').textContent =
      `ampc report, schema ${report.version}. Bytes and types of the compiled programs.${
          report.steps.some(s => s.times) ? ' Times of ampc bench.' : ''}`;
  wireGraph();
  wireChart();
  showStep(0);
}
addEventListener('DOMContentLoaded', start);
