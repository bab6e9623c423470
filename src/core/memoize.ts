const MAX_REMEMBERED = 4_096;
/** Longer texts are hardly ever what they should be. */
const MAX_LENGTH = 300;

/** For texts that are few and come again and again: hosts, types and tokens of calls, letters of notes. */
export function memoize<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const fresh = read(text);
    if (fresh !== undefined && text.length <= MAX_LENGTH) {
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(text, fresh);
    }
    return fresh;
  };
}
