/** What to do about an import that failed because a file, a package or a module of Node is missing. */
export function missingPart(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ERR_MODULE_NOT_FOUND': {
      const [, kind, name] = /^Cannot find (package|module) '([^']+)'/.exec(message) ?? [];
      const part = kind === 'package' ? `the package ${name}` : `the file ${name}`;
      return `${part} is missing; install the program again, in a checkout with npm ci`;
    }
    case 'ERR_UNKNOWN_BUILTIN_MODULE': {
      const [, name] = /: (\S+)$/.exec(message) ?? [];
      return `this Node (${process.version}) has no ${name}; use Node 24.7 or later as nodejs.org builds it, and remove a --no-… option for it from NODE_OPTIONS`;
    }
    default:
      return undefined;
  }
}
