/**
 * Whether a client prefers HTML to JSON (RFC 9110, section 12.5.1). It must name `text/html`, as browsers
 * do; programs send wildcards. An invalid weight counts as zero.
 */
export function prefersHtml(accept: string | undefined): boolean {
  const weights = new Map((accept ?? '').split(',').map(readRange));
  const page = weights.get('text/html') ?? 0;
  const json = weights.get('application/json') ?? 0;
  const anything = Math.max(weights.get('*/*') ?? 0, weights.get('application/*') ?? 0);
  return page > json && page >= anything;
}

function readRange(text: string): [range: string, weight: number] {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [range, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}
