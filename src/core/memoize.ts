const MAX_REMEMBERED = 4_096;
/** Longer texts are seldom valid, and are not cached. */
const MAX_LENGTH = 300;

/**
 * Memoizes a function of a text in a bounded cache, which is cleared when it is full. For inputs that
 * repeat, such as hosts, media types and access tokens.
 */
export function memoize<T>(
  read: (text: string) => T,
  maxRemembered = MAX_REMEMBERED,
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const fresh = read(text);
    if (fresh !== undefined && text.length <= MAX_LENGTH) {
      if (known.size >= maxRemembered) known.clear();
      known.set(text, fresh);
    }
    return fresh;
  };
}
