/** Whether a content type says JSON (`application/json` or `…+json`) in UTF-8, which is its default. */
export function isJsonContentType(value: string): boolean {
  const [type = '', ...parameters] = value.split(';').map((part) => part.trim());
  if (!/^(application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)$/i.test(type)) return false;
  return parameters.every((parameter) => {
    const [, name, text] = /^([\w!#$&^.+-]+)=("[^"\\]*"|[^\s",]+)$/.exec(parameter) ?? [];
    if (name === undefined) return parameter === '';
    return name.toLowerCase() !== 'charset' || /^"?utf-?8"?$/i.test(text ?? '');
  });
}
