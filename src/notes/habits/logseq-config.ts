/** What `logseq/config.edn` says about journals. */
import { pathProblem } from '../files/vault-path.ts';

const DEFAULT_FORMAT = 'yyyy_MM_dd';
/** Logseq writes formats as Java does. */
const MOMENT_TOKENS: Readonly<Record<string, string>> = {
  yyyy: 'YYYY',
  yy: 'YY',
  do: 'Do',
  dd: 'DD',
  d: 'D',
  EEEE: 'dddd',
  EEE: 'ddd',
  EE: 'ddd',
  E: 'ddd',
};

export function readLogseqConfig(edn: string) {
  const folder = settingOf(edn, ':journals-directory') ?? 'journals';
  const format = settingOf(edn, ':journal/file-name-format') ?? DEFAULT_FORMAT;
  return {
    editor: 'logseq' as const,
    daily: {
      folder: pathProblem(folder) === undefined ? folder : 'journals',
      format: format.replace(/y+|d[do]?|E+/g, (token) => MOMENT_TOKENS[token] ?? token),
    },
    attachments: 'assets',
  };
}

/** The text after a key, outside comments. */
function settingOf(edn: string, key: string): string | undefined {
  const line = edn
    .split('\n')
    .find((each) => each.trimStart().replace(/^\{/, '').trimStart().startsWith(`${key} `));
  return line === undefined ? undefined : /"([^"\\]{1,200})"/.exec(line)?.[1];
}
