const MAX_REMEMBERED = 1_000;
/** Longer texts are hardly ever what they should be. */
const MAX_LENGTH = 300;

/** For the hosts and addresses of a server's calls, which are few and come again and again. */
export function remembered<T>(
  read: (text: string) => T | undefined,
): (text: string) => T | undefined {
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
