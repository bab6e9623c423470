/** A value that may be there at once. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on at once with a value that is there, else when it comes. For what every call passes: with
 * an `await`, the body of a request has come and been put aside before anybody reads it, which
 * costs the cheapest call a few hundredths.
 */
export function whenThere<T, R>(value: Awaitable<T>, go: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(go) : go(value);
}
