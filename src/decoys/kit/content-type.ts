/** The type of a file by its name, as a file server gives it. */
import { JSON_TYPE, TEXT_TYPE } from './answer.ts';

const TYPES: Readonly<Record<string, string>> = {
  json: JSON_TYPE,
  html: 'text/html; charset=utf-8',
  htm: 'text/html; charset=utf-8',
  php: 'text/html; charset=UTF-8',
  xml: 'text/xml; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  sql: 'application/sql',
  md: 'text/markdown; charset=utf-8',
  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  tar: 'application/x-tar',
};

export function typeOfPath(path: string): string {
  const extension = /\.([a-z0-9]+)$/.exec(path)?.[1] ?? '';
  return TYPES[extension] ?? TEXT_TYPE;
}
