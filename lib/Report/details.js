// Details of an op beside the graph, and the search for ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
'use strict';

// ---- Details of an op ----
const link = i => `<button type="button" class="link" data-go="${i}">${
    html(label(
        step.operations[i]))}</button> <span class="mono">${html(step.operations[i].name)}</span>`;
const chip = (type, words) => `<span class="chip ${colour(type)}">${html(words || type)}</span>`;

function castText(cast) {
  return `${html(cast.from)} to ${html(cast.to)}${
      cast.recomputed ? ', again in the backward pass' : ''}: ${html(cast.reason)}`;
}
const makerText = operand => operand.from === undefined ?
    `<span class="mono">${html(operand.label)}</span>` :
    link(indexOf.get(operand.from));
function operandText(operand) {
  const casts = (operand.casts || [])
                    .map(id => castById.get(id))
                    .reverse()
                    .map(cast => `<br>cast ${castText(cast)}`)
                    .join('');
  const argument = operand.argument ? `<span class="chip">${html(operand.argument)}</span> ` : '';
  return `<li>${makerText(operand)} ${argument}${chip(operand.type)}${casts}</li>`;
}

function sourceText(op) {
  if (!op.source) return '';
  const line = lines[op.source.split(':')[1]];
  return `<h3>Source</h3><span class="mono">${html(op.source)}</span>${
      line ? `<pre>${html(line)}</pre>` : ''}`;
}

const perRoundText = kernel =>
    kernel.rounds ? `, ${time(kernel.nanoseconds / kernel.rounds)} a round` : '';
/** Kernels of the plan that compute an op. */
function kernelsText(op) {
  const own =
      step.memory.mixed.kernels.filter(kernel => kernel.name.split(' + ').includes(op.name));
  if (!own.length) return '';
  const rows = own.map(
      kernel => `<tr><th>${html(kernel.kernel)}${
          kernel.rounds ? ` x ${kernel.rounds}` : ''}</th><td>${bytes(kernel.bytes)}</td>${
          isTimed('mixed') ? `<td>${time(kernel.nanoseconds)}${perRoundText(kernel)}</td>` :
                             ''}</tr>`);
  return `<h3>Kernels of ${html(op.name.split('/').pop())}, with operands</h3>
    <table class="small"><tbody>${rows.join('')}</tbody></table>`;
}

/** Values that a round of a loop passes on to the next, and values kept of every round. */
function bodyText(op) {
  const list = (title, operands) => operands && operands.length ?
      `<h3>${title}</h3><ul>${operands.map(operandText).join('')}</ul>` :
      '';
  return list('A round passes on', op.next) + list('Kept of every round', op.each);
}

function showDetails(i) {
  const panel = $('details');
  if (i < 0) {
    panel.innerHTML =
        `<p class="name">No op selected</p><p class="note" style="margin-top:6px">Click an op to see its compute type, the reason and the cost.
      Drag to move; click into the graph, then the wheel zooms. Keys: arrows, +, &minus;, 0; / searches.</p>`;
    return;
  }
  const op = step.operations[i], behind = castsOf[i];
  const reason = op.reason ?
      `<p class="reason">${html(op.reason)} <span class="chip">${html(op.rule)}</span></p>` :
      `<p class="reason">The precision phase had nothing to decide here: ${
          op.op === 'input'                ? 'inputs keep the type of the model.' :
              op.body_rounds               ? 'the ops of the body decide.' :
              floats.includes(op.computes) ? 'the op was added later, for the loss scale, in f32.' :
                                             'no float goes in or out.'}</p>`;
  const saving = op.f32_bytes ? ` (${share(op.bytes, op.f32_bytes)})` : '';
  panel.innerHTML = `<p class="name">${html(label(op))}</p><p class="mono">${html(op.name)}</p>
    <div class="chips"><span class="chip">${html(op.part)}</span>${
      op.loop ? `<span class="chip">in ${html(loopText(op))}</span>` :
                ''}${op.category ? `<span class="chip">${html(op.category)}</span>` : ''}${
      op.recomputed ? '<span class="chip">recomputed</span>' :
                      ''}${chip(op.computes, 'computes in ' + op.computes)}${
      chip(op.stored, 'stored in ' + op.stored)}</div>
    ${reason}
    <h3>Result</h3><span class="mono">${
      html(op.shape ? op.shape + ' x ' + op.stored : op.stored)}</span>
    <table class="small"><tbody><tr><th>if all were f32</th><td>${
      bytes(op.f32_bytes)}</td></tr><tr><th>as stored</th><td>${bytes(op.bytes)}${saving}</td></tr>
    ${
      op.saved_bytes ?
          `<tr><th>kept for the backward pass${op.loop ? ', of all rounds' : ''}</th><td>${
              bytes(op.saved_bytes)}</td></tr>` :
          ''}</tbody></table>
    ${
      behind.length ?
          `<h3>Casts of the result</h3><ul>${
              behind
                  .map(
                      cast => `<li>${castText(cast)}${
                          cast.saved_bytes ? ` (${bytes(cast.saved_bytes)} kept)` : ''}</li>`)
                  .join('')}</ul>` :
          ''}
    ${kernelsText(op)}
    ${op.operands.length ? `<h3>Reads</h3><ul>${op.operands.map(operandText).join('')}</ul>` : ''}
    ${bodyText(op)}
    ${
      readers[i].length ?
          `<h3>Read by</h3><ul>${readers[i].map(r => `<li>${link(r)}</li>`).join('')}</ul>` :
          ''}
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
    const found = words !== '' && [
      op.id, op.op, ...op.operands.map(o => o.label || '')
    ].some(text => text.toLowerCase().includes(words));
    node.classList.toggle('match', found);
    if (found) matches.push(i);
  });
  matches.sort((a, b) => a - b);
  $('drawing').classList.toggle('searching', words !== '');
  $('matches').textContent =
      words === '' ? '' : matches.length + (matches.length === 1 ? ' match' : ' matches');
}
function goToMatch(by) {
  if (!matches.length) return;
  match = (match + by + matches.length) % matches.length;
  $('matches').textContent = `${match + 1} of ${matches.length}`;
  select(matches[match], true);
}
