/** English words that say nothing about what is looked for. Words of other languages weigh little by being frequent. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about am an and any are as at be been but by can could did do does doing don for from had has
  have having he her here him his how i if in into is isn it its itself just let me my no not of
  off on one or our out s should so some such t than that the their them then there these they this
  those through to too up us was we were what when where which while who whom whose why will with
  would you your`.split(/\s+/),
);
