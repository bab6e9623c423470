/** Run in a separate process, because what is tested ends it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';

const SECRET = 'hunter2-hunter2';
const core = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

/** A program with our handlers and a log that removes the secret; `body` is what happens to it. */
function program(body: string) {
  const script = `
    const { createLog } = await import(${core('./log/log.ts')});
    const { processEvents } = await import(${core('./process.ts')});
    const { Redactor } = await import(${core('./redactor/redactor.ts')});
    const { Secret } = await import(${core('./secrets/secret.ts')});
    const redactor = Redactor.of([new Secret('s', ${JSON.stringify(SECRET)})]);
    const log = createLog({ level: 'info', clean: (text) => redactor.text(text).text });
    const events = processEvents(log);
    ${body}
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'pipe' });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, stdout, stderr }));
  return { child, ended };
}

const thrown: [what: string, body: string, message: string][] = [
  [
    'an exception',
    `setTimeout(() => { throw new Error('token ${SECRET}'); });`,
    'token [REDACTED]',
  ],
  ['a rejection', `Promise.reject(new Error('token ${SECRET}'));`, 'token [REDACTED]'],
  ['a text', `setTimeout(() => { throw '${SECRET}'; });`, '[REDACTED]'],
  ['nothing', 'setTimeout(() => { throw undefined; });', 'undefined'],
  [
    'what has no text',
    'setTimeout(() => { throw Object.create(null); });',
    'something was thrown that cannot be described',
  ],
  [
    'an error whose message is none',
    'setTimeout(() => { const e = new Error(); e.message = null; e.code = "X"; e.stack = 5; throw e; });',
    'something was thrown that cannot be described',
  ],
];
describe('what nobody caught', { concurrency: 2 }, () => {
  for (const [what, body, message] of thrown) {
    test(`${what} is one clean line and exit code 1`, async () => {
      const { code, stdout, stderr } = await program(body).ended;
      assert.deepEqual({ code, stderr }, { code: 1, stderr: '' });
      const line = JSON.parse(stdout);
      assert.deepEqual(
        [line.level, line.event, line.message],
        ['error', 'internal_error', message],
      );
      assert.ok(!stdout.includes(SECRET));
    });
  }

  test('the line says where it happened, without the arguments', async () => {
    const { stdout } = await program(
      `function here() { throw new Error('${SECRET}\\n    at ${SECRET}'); } setTimeout(here);`,
    ).ended;
    const { where } = JSON.parse(stdout);
    assert.ok(where.some((line: string) => line.startsWith('at') && line.includes('here')));
    assert.ok(!stdout.includes(SECRET));
  });

  test('a log that fails does not keep the program from ending', async () => {
    const { code } = await program(`
      const broken = { always: () => { throw new Error('${SECRET}'); } };
      processEvents(broken);
      process.removeAllListeners('uncaughtException');
      processEvents(broken);
      setTimeout(() => { throw new Error('x'); });
    `).ended;
    assert.equal(code, 1);
  });
});

test('SIGTERM and SIGINT ask to stop; SIGHUP, also before anyone listens, ends nothing', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child, ended } = program(`
      const alive = setInterval(() => {}, 1e6);
      process.kill(process.pid, 'SIGHUP');
      setImmediate(() => {
        events.onHangUp(() => console.log('reload'));
        console.log('ready');
      });
      console.log('stopped by', await events.stopped);
      clearInterval(alive);
    `);
    await once(child.stdout, 'data');
    child.kill('SIGHUP');
    await once(child.stdout, 'data');
    child.kill(signal);
    const { code, stdout } = await ended;
    assert.equal(code, 0);
    assert.equal(stdout, `ready\nreload\nstopped by ${signal}\n`);
  }
});
