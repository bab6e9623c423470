/** Frontmatter as rows for filters: nested keys are joined by dots, each list item is a row. */
export interface NoteProperty {
  readonly key: string;
  readonly place: number;
  readonly text: string;
  readonly number: number | null;
  /** The text as written, if it differs from the folded one. */
  readonly shown: string | null;
}

const MAX_PROPERTIES = 500;
const MAX_DEPTH = 4;
const MAX_TEXT = 500;

export function readProperties(data: Readonly<Record<string, unknown>>): NoteProperty[] {
  const properties: NoteProperty[] = [];
  for (const [key, value] of Object.entries(data)) collect(properties, key, value, 1);
  const places = new Map<string, number>();
  return properties.map((property) => {
    const place = places.get(property.key) ?? 0;
    places.set(property.key, place + 1);
    return { ...property, place };
  });
}

/** For comparison without case. */
export function foldProperty(text: string): string {
  return text.normalize('NFC').toLowerCase().slice(0, MAX_TEXT);
}

function collect(into: NoteProperty[], key: string, value: unknown, depth: number): void {
  if (into.length >= MAX_PROPERTIES || depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) collect(into, key, item, depth + 1);
  } else if (value !== null && typeof value === 'object' && !(value instanceof Date)) {
    for (const [inner, item] of Object.entries(value)) {
      collect(into, `${key}.${inner}`, item, depth + 1);
    }
  } else {
    const text = value instanceof Date ? value.toISOString() : String(value ?? '');
    const number = Number(value);
    const [folded, shown] = [foldProperty(text), text.slice(0, MAX_TEXT)];
    into.push({
      key: foldProperty(key),
      place: 0,
      text: folded,
      number: typeof value === 'number' && Number.isFinite(number) ? number : null,
      shown: shown === folded ? null : shown,
    });
  }
}
