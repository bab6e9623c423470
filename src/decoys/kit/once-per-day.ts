/** Memoizes the value of the current day. */
export function oncePerDay<T>(make: (day: number) => T): (day: number) => T {
  let last: { readonly day: number; readonly value: T } | undefined;
  return (day) => {
    if (last?.day !== day) last = { day, value: make(day) };
    return last.value;
  };
}
