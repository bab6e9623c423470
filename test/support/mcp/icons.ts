import assert from 'node:assert/strict';

interface Icon {
  readonly src: string;
  readonly mimeType?: string | undefined;
}

/** A client that shows the icons gets what they are said to be. */
export async function assertIconsAreServed(icons: readonly Icon[] | undefined): Promise<void> {
  assert.ok(icons !== undefined && icons.length > 0, 'there are no icons');
  for (const { src, mimeType } of icons) {
    const answer = await fetch(src);
    assert.equal(answer.status, 200, src);
    assert.equal(answer.headers.get('content-type'), mimeType);
    assert.match(answer.headers.get('content-security-policy') ?? '', /sandbox/);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const begin = mimeType === 'image/png' ? '\x89PNG' : '<svg ';
    assert.equal(bytes.toString('latin1', 0, begin.length), begin);
  }
}
