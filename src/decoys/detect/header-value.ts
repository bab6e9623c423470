/**
 * The first header of a name, given in lower case. Under a flood this is much cheaper than
 * `headers`, for which Node makes an object of all of them, request by request.
 */
export function headerValue(rawHeaders: readonly string[], name: string): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const found = rawHeaders[at]!;
    if (found.length === name.length && found.toLowerCase() === name) return rawHeaders[at + 1];
  }
  return undefined;
}
