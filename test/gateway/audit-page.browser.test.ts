/** The page of `gateway audit --html` in a real browser, made of lines that nobody can trust. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { runGateway } from '../support/gateway/gateway.ts';
import { column, numbers, section } from '../support/pages/page-watch.ts';
import { openReport, type ReportPage, testLooks } from '../support/pages/report-page.ts';

const LINES = 6_000;
const CODES = ['no_target', 'method_not_allowed', 'rate_limited', 'upstream_timeout'];
/** Texts that would do harm in a page that did not escape them. */
const NASTY = [
  '<script>document.title="taken"</script>',
  '"><img src=x onerror="document.title=1">',
  '</table></main><style>*{display:none}</style>',
  'https://x/\u202egnp.exe\u2066\u0007\u001b[2J',
  '</title></style><meta http-equiv="refresh" content="0;url=http://127.0.0.1/">',
  "javascript:alert('1')",
];

let report: ReportPage;
before(async () => {
  const log = `${Array.from({ length: LINES }, (_, index) => line(index)).join('\n')}\n{"ha`;
  report = await openReport(log, async (file) => {
    const { code, stdout } = await runGateway(['audit', file, '--html']);
    assert.equal(code, 0);
    return stdout;
  });
});
after(() => report.close());

function line(index: number): string {
  const isRefused = index % 10 === 3;
  const nasty = index % 50 === 7 ? NASTY[(index / 50 - 0.14) % NASTY.length] : undefined;
  return JSON.stringify({
    ts: new Date(Date.UTC(2026, 10, 1) + index * 60_000).toISOString(),
    event: 'request',
    user: nasty ?? `user-${index % 3}`,
    target: index % 10 === 3 && index % 4 === 0 ? null : (nasty ?? `target-${index % 5}`),
    method: nasty ?? 'GET',
    url: nasty ?? `https://api.example.com/${'v'.repeat(index % 90)}/${index}`,
    status: isRefused ? 403 : 200,
    duration_ms: (index * 37) % 1_900,
    bytes: index,
    redacted: index % 100 === 1 ? 1 : 0,
    ...(isRefused && { error: nasty ?? CODES[index % 4] }),
  });
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

test('it adds up every line, offline, and nothing in it is obeyed', async () => {
  await report.withPage(async (page) => {
    assert.equal(await page.title(), 'Gateway audit');
    const facts = await page.locator('.figures div').allTextContents();
    for (const fact of [
      'calls6,000',
      'refused600',
      'reflected credentials60',
      'lines not understood1',
    ]) {
      assert.ok(facts.includes(fact), facts.join());
    }
    assert.deepEqual(await page.locator('h2').allTextContents(), [
      'Calls over time',
      'How long answers took',
      'Refusals',
      'Targets',
      'Users',
      'Reflected credentials',
      'Latest calls',
    ]);
    assert.equal(sum(numbers(await column(page, 'Targets', 2))), LINES);
    assert.equal(sum(numbers(await column(page, 'Users', 2))), LINES);
    assert.equal(sum(numbers(await column(page, 'Refusals', 2))), 600);
    assert.equal((await column(page, 'Latest calls', 1)).length, 200);
    const users = await column(page, 'Users', 1);
    for (const text of NASTY.slice(0, 3)) assert.ok(users.includes(text), text);
    assert.ok(users.some((user) => user.includes('\\u202egnp.exe\\u2066\\u0007\\u001b[2J')));
    assert.equal(await page.locator('img, iframe, link, form, a').count(), 0);
    assert.equal(await page.locator('meta[http-equiv=refresh]').count(), 0);
  });
});

test('the plots show what the lines say, in two colours with a legend', async () => {
  await report.withPage(async (page) => {
    const plot = section(page, 'Calls over time');
    const titles = await plot.locator('svg title').allTextContents();
    const counts = titles.map((title) => /: ([\d,]+) answered, ([\d,]+) refused$/.exec(title)!);
    assert.equal(sum(numbers(counts.map(([, answered]) => answered!))), 5_400);
    assert.equal(sum(numbers(counts.map(([, , refused]) => refused!))), 600);
    assert.deepEqual(await plot.locator('.key').allTextContents(), ['answered', 'refused']);
    const fill = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('.chart ${selector}')).fill`);
    assert.notEqual(await fill('rect.refused'), await fill('rect:not(.refused)'));
    const durations = await section(page, 'How long').locator('svg title').allTextContents();
    assert.equal(
      sum(numbers(durations.map((text) => / ([\d,]+) answers$/.exec(text)![1]!))),
      5_400,
    );
  });
});

test('tables are sorted by a click, up and down', async () => {
  await report.withPage(async (page) => {
    const byCalls = section(page, 'Targets').getByRole('button', { name: 'calls' });
    await byCalls.click();
    const down = numbers(await column(page, 'Targets', 2));
    assert.deepEqual(
      down,
      down.toSorted((a, b) => b - a),
    );
    await byCalls.click();
    assert.deepEqual(numbers(await column(page, 'Targets', 2)), down.toReversed());
    const byUrl = section(page, 'Latest calls').getByRole('button', { name: 'url' });
    await byUrl.focus();
    await page.keyboard.press('Enter');
    const urls = await column(page, 'Latest calls', 9);
    assert.deepEqual(urls, urls.toSorted());
  });
});

test('without script everything is there', async () => {
  await report.withPage(
    async (page) => {
      assert.equal((await column(page, 'Latest calls', 1)).length, 200);
      assert.ok((await page.locator('svg rect').count()) > 100);
      assert.equal(await page.locator('button').count(), 0);
    },
    { javaScriptEnabled: false },
  );
});

testLooks(() => report);

test('it permits itself nothing but its own style and script, and names no address', () => {
  assert.ok(report.text.length < 1_000_000, `${report.text.length} characters`);
  assert.match(
    report.text,
    /Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/,
  );
  assert.doesNotMatch(report.text, /unsafe-inline|unsafe-eval/);
  assert.doesNotMatch(report.text, /<[^>]+(?:src|href|action)\s*=/i);
});
