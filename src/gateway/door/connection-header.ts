/** The header `Connection` (RFC 9110, section 7.6.1): what it lists is for that connection alone. */
import { memoize } from '../../core/memoize.ts';

/** In lower case. */
export const namesIn = memoize((connection) =>
  connection
    .toLowerCase()
    .trim()
    .split(/\s*,\s*/),
);
