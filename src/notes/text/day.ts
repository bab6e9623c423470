/** Calendar days written `2026-11-15`, in the time zone of the server (`TZ`). */

export function dayOf(moment: Date): string {
  const [year, month, day] = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()];
  return [String(year).padStart(4, '0'), two(month), two(day)].join('-');
}

export function dayBefore(day: string): string {
  return daysFrom(day, -1);
}

export function dayAfter(day: string): string {
  return daysFrom(day, 1);
}

/** Whether the text is an existing calendar day. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function daysFrom(day: string, days: number): string {
  const moment = new Date(`${day}T00:00:00Z`);
  moment.setUTCDate(moment.getUTCDate() + days);
  return moment.toISOString().slice(0, 10);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
