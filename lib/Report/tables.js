// The memory chart and the tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';

// ---- Memory ----
const plot = {
  left: 78,
  right: 14,
  top: 26,
  bottom: 26,
  width: 1200,
  height: 280
};
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
  plot.width = Math.max(280, $('chart').clientWidth - 18);
  const inner = plot.width - plot.left - plot.right, tall = plot.height - plot.top - plot.bottom;
  const sides = chartSides(),
        top = axisTop(Math.max(1, ...sides.flatMap(([, m]) => m.kernels.map(k => k.live_bytes))));
  const x = (i, n) => plot.left + inner * i / Math.max(1, n),
        y = value => plot.top + tall * (1 - value / top);
  let out = '';
  for (let i = 0; i <= 4; ++i)
    out += `<line class="grid" x1="${plot.left}" x2="${plot.width - plot.right}" y1="${
        y(top * i / 4)}" y2="${y(top * i / 4)}"/>
      <text x="${plot.left - 8}" y="${y(top * i / 4) + 4}" text-anchor="end">${
        bytes(top * i / 4)}</text>`;
  sides.forEach(([type, memory], which) => {
    const n = memory.kernels.length;
    let path = `M${x(0, n)},${y(0)}`;
    memory.kernels.forEach((kernel, i) => {
      path += `L${x(i, n).toFixed(1)},${y(kernel.live_bytes).toFixed(1)}H${x(i + 1, n).toFixed(1)}`;
    });
    out += `<path class="area ${type}" d="${path}V${y(0)}Z"/>`;
    if (!n) return;
    const peak = memory.peak_kernel, value = memory.kernels[peak].live_bytes, px = x(peak + 0.5, n);
    const anchor = px > plot.width * 0.75 ? 'end' : px < plot.width * 0.25 ? 'start' : 'middle';
    out += `<circle cx="${px}" cy="${y(value)}" r="4" fill="var(--${
        type}-line)"/><text class="peak" x="${px}" y="${y(value) - 8}" text-anchor="${
        anchor}">peak ${type}: ${bytes(value)}</text>`;
  });
  out += `<text x="${plot.left}" y="${plot.height - 8}">first kernel</text><text x="${
      plot.width - plot.right}" y="${plot.height - 8}" text-anchor="end">last kernel</text>`;
  if (cursor !== null)
    out += `<line class="cursor" x1="${plot.left + inner * cursor}" x2="${
        plot.left + inner * cursor}" y1="${plot.top}" y2="${plot.height - plot.bottom}"/>`;
  $('chart').innerHTML = `<svg viewBox="0 0 ${plot.width} ${
      plot.height}" role="img" aria-label="Live bytes over the schedule">${out}</svg>`;
  showLive();
}
function showLive() {
  $('live').style.gridTemplateColumns = isMixed ? '' : '1fr';
  $('live').innerHTML =
      chartSides()
          .map(([type, memory]) => {
            const n = memory.kernels.length;
            if (!n) return '';
            const i = cursor === null ? memory.peak_kernel :
                                        Math.min(n - 1, Math.floor(cursor * n)),
                  kernel = memory.kernels[i];
            const live = memory.buffers.filter(b => b.first <= i && i <= b.last)
                             .sort((a, b) => b.bytes - a.bytes);
            const shown = live.slice(0, 8),
                  rest = live.slice(8).reduce((sum, b) => sum + b.bytes, 0);
            return card(
                `<span class="swatch ${type}"></span>${type}: ${
                    i === memory.peak_kernel ?
                        'peak, ' :
                        ''}kernel ${i + 1} of ${n}, ${bytes(kernel.live_bytes)} live`,
                `<p class="mono">${html(kernel.kernel)} ${html(kernel.name)}${
                    kernel.nanoseconds === undefined ? '' : `, ${time(kernel.nanoseconds)}`}${
                    kernel.form ? `<br>${html(kernel.form)}, ${kernel.launches} launches` :
                                  ''}</p><table class="small" style="margin-top:6px"><tbody>${
                    shown
                        .map(
                            b => `<tr><td>${html(b.name)}</td><td class="mono">${
                                html(b.type)}</td><td>${bytes(b.bytes)}</td></tr>`)
                        .join('')}${
                    rest ? `<tr><td>${live.length - 8} smaller</td><td></td><td>${
                               bytes(rest)}</td></tr>` :
                           ''}</tbody></table>`);
          })
          .join('');
}
function wireChart() {
  const chart = $('chart');
  const to = value => {
    cursor = Math.max(0, Math.min(0.9999, value));
    drawChart();
  };
  chart.addEventListener('pointermove', event => {
    const box = chart.firstElementChild.getBoundingClientRect(), scale = box.width / plot.width;
    to(((event.clientX - box.left) / scale - plot.left) / (plot.width - plot.left - plot.right));
  });
  chart.addEventListener('pointerleave', () => {
    cursor = null;
    drawChart();
  });
  chart.addEventListener('keydown', event => {
    const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!by) return;
    event.preventDefault();
    const n = step.memory.mixed.kernels.length,
          now = cursor === null ? step.memory.mixed.peak_kernel : Math.floor(cursor * n);
    to((now + by + 0.5) / n);
  });
  let width = 0;
  new ResizeObserver(() => {
    if (chart.clientWidth !== width) width = chart.clientWidth, drawChart();
  }).observe(chart);
}

// ---- Tables ----
const pageSize = 200;
class Table {
  constructor(id, columns, rows, pick) {
    Object.assign(this, {
      element: $(id),
      count: $(id + '-count'),
      columns,
      rows,
      pick,
      sort: -1,
      down: false,
      shown: pageSize
    });
    this.filters =
        [...document.querySelectorAll(`#${id}-section .bar input, #${id}-section .bar select`)];
    for (const filter of this.filters)
      filter.oninput = () => {
        this.shown = pageSize;
        this.draw();
      };
    this.element.onclick = event => this.click(event);
  }
  click(event) {
    const head = event.target.closest('th'), row = event.target.closest('tr[data-i]');
    if (event.target.closest('.more'))
      this.shown = Infinity;
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
      return field ?
          String(this.rows[i][field] || 'none').toLowerCase() === wanted :
          this.columns.some(c => String(c.value(this.rows[i])).toLowerCase().includes(wanted));
    }));
    if (this.sort < 0) return numbers;
    const value = this.columns[this.sort].value, sign = this.down ? -1 : 1;
    const keys = new Map(numbers.map(i => [i, value(this.rows[i])]));
    return numbers.sort(
        (a, b) =>
            (keys.get(a) < keys.get(b)     ? -sign :
                 keys.get(a) > keys.get(b) ? sign :
                                             a - b));
  }
  draw() {
    const all = this.visible(), some = all.slice(0, this.shown);
    this.count.textContent = `${all.length} of ${this.rows.length}`;
    const head =
        this.columns
            .map(
                (c, i) => `<th class="${c.number ? 'number' : ''}" aria-sort="${
                    this.sort === i ? (this.down ? 'descending' : 'ascending') : 'none'}">
      <button type="button">${c.title}${
                    this.sort === i ? (this.down ? ' &#9660;' : ' &#9650;') : ''}</button></th>`)
            .join('');
    const cell = (c, row) => `<td class="${c.number ? 'number' : c.style || ''}">${
        c.show       ? c.show(row) :
            c.number ? (c.value(row) ? bytes(c.value(row)) : '') :
                       html(c.value(row))}</td>`;
    const more = all.length > some.length ?
        `<tr><td colspan="${this.columns.length}"><button type="button" class="more">Show all ${
            all.length}</button></td></tr>` :
        '';
    this.element.innerHTML = `<thead><tr>${head}</tr></thead><tbody>${
        some.map(
                i => `<tr data-i="${i}">${
                    this.columns.map(c => cell(c, this.rows[i])).join('')}</tr>`)
            .join('')}${more}</tbody>`;
  }
}
const typed = type => `<span class="swatch ${colour(type)}"></span>${html(type)}`;
const choices = (id, field, title, rows) => {
  const values = [...new Set(rows.map(row => row[field] || 'none'))].sort();
  $(id).dataset.field = field;
  $(id).innerHTML = `<option value="">${title}</option>` +
      values.map(v => `<option>${html(v)}</option>`).join('');
};
function goTo(i) {
  select(i, true);
  $('graph-section').scrollIntoView({
    behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'
  });
}
/** Kernels in schedule order, with measured times and the bytes moved per time, if any. */
function showKernels() {
  const kernels = step.memory.mixed.kernels.map((kernel, i) => ({number: i + 1, ...kernel}));
  const all = kernels.reduce((sum, k) => sum + (k.nanoseconds || 0), 0);
  const rate = k => k.nanoseconds ? k.bytes / k.nanoseconds : 0;
  const timed = [
    {title: 'Time', number: true, value: k => k.nanoseconds, show: k => time(k.nanoseconds)},
    {
      title: 'Share',
      number: true,
      value: k => k.nanoseconds,
      show: k => (100 * k.nanoseconds / (all || 1)).toFixed(1) + '\u00a0%'
    },
    {title: 'GB/s', number: true, value: rate, show: k => rate(k).toFixed(1)},
  ];
  const device = [
    {title: 'Code', value: k => k.form || ''},
    {title: 'Launches', number: true, value: k => k.launches, show: k => k.launches},
  ];
  const perRound = k => k.rounds ? k.nanoseconds / k.rounds : 0;
  const rounds = [
    {title: 'Rounds', number: true, value: k => k.rounds || 0, show: k => k.rounds || ''},
    ...(isTimed('mixed') ? [{
      title: 'Per round',
      number: true,
      value: perRound,
      show: k => k.rounds ? time(perRound(k)) : ''
    }] :
                           []),
  ];
  choices('kernels-kind', 'kernel', 'all kinds', kernels);
  new Table(
      'kernels',
      [
        {title: 'No', number: true, value: k => k.number, show: k => k.number},
        {title: 'Kernel', value: k => k.kernel.replace('kernel.', '')},
        {title: 'Bytes', number: true, value: k => k.bytes},
        ...(isTimed('mixed') ? timed : []),
        {title: 'Live', number: true, value: k => k.live_bytes},
        ...(kernels.some(k => k.rounds) ? rounds : []),
        {title: 'Computes', value: k => k.name, style: 'name mono'},
        ...(kernels.some(k => k.form) ? device : []),
      ],
      kernels,
      i => {
        const first = kernels[i].name.split(' + ')[0];
        const op = step.operations.findIndex(op => op.name === first);
        if (op >= 0) goTo(op);
      })
      .draw();
}
/** Column of loops; none in a step without loops. */
const loopColumn = rows =>
    rows.some(row => row.loop) ? [{title: 'Loop', value: loopText, style: 'loop mono'}] : [];
function showTables() {
  choices('operations-part', 'part', 'all parts', step.operations);
  choices('operations-type', 'computes', 'all types', step.operations);
  choices('operations-rule', 'rule', 'all rules', step.operations);
  choices('casts-part', 'part', 'all parts', step.casts);
  new Table(
      'operations',
      [
        {title: 'Op', value: label},
        {title: 'Name', value: op => op.name, style: 'name mono'},
        ...loopColumn(step.operations),
        {title: 'Part', value: op => op.part},
        {
          title: 'Computes',
          style: 'type',
          value: op => op.computes,
          show: op => typed(op.computes)
        },
        {title: 'Stored', style: 'type', value: op => op.stored, show: op => typed(op.stored)},
        {title: 'Rule', value: op => op.rule || ''},
        {title: 'Reason', value: op => op.reason || '', style: 'reason'},
        {title: 'f32', number: true, value: op => op.f32_bytes},
        {title: 'Stored bytes', number: true, value: op => op.bytes},
        {title: 'Kept', number: true, value: op => op.saved_bytes || 0},
        {title: 'Source', value: op => op.source || '', style: 'mono source'},
      ],
      step.operations, goTo)
      .draw();
  showKernels();
  const readersText = cast =>
      cast.readers.map(id => label(step.operations[indexOf.get(id)])).join(', ') || 'state';
  new Table(
      'casts',
      [
        {title: 'From', style: 'type', value: c => c.from, show: c => typed(c.from)},
        {title: 'To', style: 'type', value: c => c.to, show: c => typed(c.to)},
        {title: 'Of', value: c => c.of, style: 'name mono'},
        {title: 'Read by', value: readersText},
        ...loopColumn(step.casts),
        {title: 'Part', value: c => c.part},
        {title: 'Reason', value: c => c.reason, style: 'reason'},
        {title: 'Bytes', number: true, value: c => c.bytes},
        {title: 'Kept', number: true, value: c => c.saved_bytes || 0},
        {title: 'Source', value: c => c.source || '', style: 'mono source'},
      ],
      step.casts,
      i => {
        const of = indexOf.get(step.casts[i].of);
        if (of !== undefined) goTo(of);
      })
      .draw();
}
