/** The report page in a real browser, made of many lines that scanners wrote. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { run } from '../../src/decoys/commands/cli.ts';
import { column, numbers, section } from '../support/pages/page-watch.ts';
import { openReport, type ReportPage, testLooks } from '../support/pages/report-page.ts';
import { isLongRun } from '../support/property-runs.ts';

const LINES = isLongRun ? 100_000 : 10_000;
const USED = LINES / 1_000;
const HITS = LINES - USED;
const TAGS = ['aws-credentials', 'mcp-server-probe', 'ai-assistant-config', 'local-llm-tags'];
/** Texts that would do harm in a page that did not escape them. */
const NASTY = [
  '<script>document.title="taken"</script>',
  '"><img src=x onerror="document.title=1">',
  '</table></main><style>*{display:none}</style>',
  '\u202egnp.exe\u2066 \u0007',
];

let report: ReportPage;
before(async () => {
  const log = `${Array.from({ length: LINES }, (_, index) => line(index)).join('\n')}\n`;
  report = await openReport(log, async (file) => {
    const parts: string[] = [];
    const write = (text: string) => parts.push(text);
    const output = { out: write, err: () => {}, write, isTerminal: false };
    assert.equal(await run(['report', file], {}, output), 0);
    return parts.join('');
  });
});
after(() => report.close());

function line(index: number): string {
  const ts = new Date(Date.UTC(2026, 10, 1) + index * 10_000).toISOString();
  const ip = `203.${index % 113}.${index % 7}.${index % 251}`;
  if (index % 1_000 === 999) {
    return JSON.stringify({
      ts,
      event: 'honeytoken_used',
      tag: 'ai-assistant-config',
      'source.ip': '198.51.100.9',
      'honeytoken.received_by': ip,
      'honeytoken.day': '2026-11-01',
      'honeytoken.presented_in': 'header authorization',
      'honeytoken.field': 'accessToken',
      'honeytoken.hash': 'f'.repeat(64),
      'honeytoken.confidence': 'high',
    });
  }
  const agent = index % 10 === 0 ? NASTY[(index / 10) % NASTY.length] : `scan/${index % 700}`;
  return JSON.stringify({
    ts,
    event: 'decoy_hit',
    tag: TAGS[(index * 7) % 4 === 0 ? 0 : index % 4],
    'source.ip': ip,
    'user_agent.original': agent,
    honeytokens: index % 3,
    ...(index % 4 === 1 && { 'mcp.client.name': `client-${index % 5}`, 'mcp.client.version': '1' }),
  });
}

test('the page adds up every line, offline, and nothing of it runs what strangers wrote', async () => {
  await report.withPage(async (page) => {
    assert.equal(await page.title(), 'Decoys report');
    const facts = await page.locator('dl div').allTextContents();
    assert.ok(facts.includes(`hits${HITS.toLocaleString('en')}`), facts.join());
    assert.ok(facts.includes(`honeytokens used${USED}`));
    const hits = numbers(await column(page, 'Tags', 2));
    assert.equal(
      hits.reduce((sum, count) => sum + count),
      HITS,
    );
    const headings = await page.locator('h2').allTextContents();
    assert.deepEqual(headings, [
      'Honeytokens used',
      ...headings.filter((heading) => heading.startsWith('What ')),
      'Hits over time',
      'Tags',
      'Networks',
      'Addresses',
      'Agents',
      'MCP clients',
    ]);
    const agents = await column(page, 'Agents', 1);
    assert.ok(agents.includes(NASTY[0]!));
    assert.ok(agents.some((agent) => agent.includes('\\u202egnp.exe\\u2066')));
    assert.ok((await page.locator('svg rect').count()) > 50);
    assert.equal(await page.locator('img, iframe, link, form').count(), 0);
  });
});

test('tables are sorted by a click and by the keyboard, up and down', async () => {
  await report.withPage(async (page) => {
    const networks = section(page, 'Networks');
    const hits = async () => numbers(await column(page, 'Networks', 2));
    const byName = networks.getByRole('button', { name: 'network' });
    await byName.click();
    const names = await column(page, 'Networks', 1);
    assert.deepEqual(names, [...names].sort());
    await byName.click();
    assert.deepEqual(await column(page, 'Networks', 1), [...names].sort().reverse());
    const byHits = networks.getByRole('button', { name: 'hits' });
    await byHits.focus();
    await page.keyboard.press('Enter');
    const down = await hits();
    assert.deepEqual(
      down,
      [...down].sort((a, b) => b - a),
    );
    await page.keyboard.press('Enter');
    const up = await hits();
    assert.deepEqual(
      up,
      [...up].sort((a, b) => a - b),
    );
    assert.equal(await networks.locator('th[aria-sort]').getAttribute('aria-sort'), 'ascending');
  });
});

for (const javaScriptEnabled of [true, false]) {
  const script = javaScriptEnabled ? 'with script' : 'without script';
  test(`${script} a table is reached and scrolled by the keyboard`, async () => {
    await report.withPage(
      async (page) => {
        const first = page.getByRole('group', { name: 'Table: Honeytokens used' });
        await page.keyboard.press('Tab');
        assert.equal(await first.evaluate((box) => box.matches(':focus-visible')), true);
        const isScrolled = () => first.evaluate((box) => box.scrollLeft > 0);
        for (let press = 0; press < 100 && !(await isScrolled()); press += 1) {
          await page.keyboard.press('ArrowRight');
        }
        assert.equal(await isScrolled(), true);
        assert.equal(
          await page.getByRole('button').count(),
          javaScriptEnabled ? await page.locator('th').count() : 0,
        );
      },
      { javaScriptEnabled, viewport: { width: 360, height: 740 } },
    );
  });
}

testLooks(() => report);

test('the page stays small, names no address to load from, and permits itself nothing', () => {
  assert.ok(report.text.length < 1_000_000, `${report.text.length} characters`);
  assert.doesNotMatch(report.text, /(?:src|href|action)\s*=\s*["']?http/i);
  assert.match(
    report.text,
    /Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/,
  );
  assert.doesNotMatch(report.text, /unsafe-inline|unsafe-eval/);
});
