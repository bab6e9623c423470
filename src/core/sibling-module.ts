/**
 * The file of a worker thread beside the file that starts it, with the same extension: `.ts` in a
 * checkout, `.js` in the package. The compiler rewrites imports, but no URLs.
 */
export function siblingModule(of: string, name: string): URL {
  return new URL(`./${name}${of.slice(of.lastIndexOf('.'))}`, of);
}
