/**
 * The file of a thread beside the one that starts it. The sources are run as .ts and the package as
 * .js, and the compiler rewrites imports but no URLs; so it ends as the file that starts it does.
 */
export function siblingModule(of: string, name: string): URL {
  return new URL(`./${name}${of.slice(of.lastIndexOf('.'))}`, of);
}
