// A front end of AG-UI in one file. It shows what strangers have written, and only ever as text.
const gateway = new URLSearchParams(location.search).get('concord') ?? 'http://127.0.0.1:4000';
const threadId = crypto.randomUUID();
const thread = document.getElementById('thread');
const progress = document.getElementById('progress');
const form = document.getElementById('form');
const stop = document.getElementById('stop');
const said = document.getElementById('said');

const messages = [];
let interrupt;

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const content = said.value;
  said.value = '';
  show('person', content);
  const answered = interrupt && [{ interruptId: interrupt.id, status: 'resolved', payload: { answer: content } }];
  if (!answered) messages.push({ id: crypto.randomUUID(), role: 'user', content });
  await run(answered);
});

stop.addEventListener('click', () => run([{ interruptId: interrupt.id, status: 'cancelled' }]));

/** Sends a run, and shows what comes of it. */
async function run(resume) {
  interrupt = undefined;
  form.inert = true;
  try {
    const input = { threadId, runId: crypto.randomUUID(), messages, tools: [], context: [], ...(resume && { resume }) };
    const response = await fetch(`${gateway}/ag-ui`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(input),
    });
    if (!response.ok) throw new Error((await response.json()).error?.message ?? response.statusText);
    for await (const happened of eventsOf(response)) take(happened);
  } catch (error) {
    show('error', error.message);
  }
  progress.textContent = '';
  form.inert = false;
  stop.hidden = interrupt === undefined;
  said.focus();
}

const shown = new Map();
let agent = '';

function take(event) {
  if (event.type === 'STEP_STARTED') agent = event.stepName;
  if (event.type === 'TEXT_MESSAGE_START') shown.set(event.messageId, show('agent', '', agent));
  if (event.type === 'TEXT_MESSAGE_CONTENT') shown.get(event.messageId).append(event.delta);
  if (event.type === 'STATE_DELTA') {
    for (const { path, value } of event.delta)
      if (path === '/concord/progress') progress.textContent = `${agent}: ${value}`;
  }
  if (event.type === 'RUN_FINISHED' && event.outcome?.type === 'interrupt') [interrupt] = event.outcome.interrupts;
  if (event.type === 'RUN_FINISHED' && event.outcome?.type === 'cancelled') show('agent', 'Given up', agent);
  if (event.type === 'RUN_ERROR') show('error', event.message);
}

function show(kind, text, who = '') {
  const item = document.createElement('li');
  item.className = kind;
  if (who) item.append(Object.assign(document.createElement('small'), { textContent: who }));
  item.append(text);
  thread.append(item);
  item.scrollIntoView({ block: 'end' });
  return item;
}

/** The events of a stream of server-sent events. */
async function* eventsOf(response) {
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop();
    for (const frame of frames) {
      const data = frame.split('\n').filter((line) => line.startsWith('data:'));
      if (data.length > 0) yield JSON.parse(data.map((line) => line.slice(5)).join('\n'));
    }
  }
}
