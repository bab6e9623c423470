/**
 * The icons of the servers and of the gateway's tools, which MCP clients show: `/icons/<name>.svg`, and
 * `.png` for the servers.
 */
import type { FastifyInstance } from 'fastify';

export interface Icon {
  readonly src: string;
  readonly mimeType: string;
  readonly sizes: readonly string[];
}

const SIZE = 48;
const DRAWINGS = {
  gateway:
    '<rect width="48" height="48" rx="10" fill="#1f5fbf"/><path d="M11 38V21a13 13 0 0 1 26 0v17M' +
    '19 38V10M29 38V10M11 25h26M8 38h32" fill="none" stroke="#fff" stroke-width="3" stroke-lineca' +
    'p="round"/>',
  notes:
    '<rect width="48" height="48" rx="10" fill="#1f5fbf"/><path d="M12 8h17l8 8v24H12zM29 8v8h8M1' +
    '8 23h13M18 29h13M18 35h7" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" ' +
    'stroke-linejoin="round"/>',
  list_targets:
    '<path d="M6 10h6v6H6zM6 21h6v6H6zM6 32h6v6H6zM17 11h25v4H17zM17 22h25v4H17zM17 33h25v4H17z" ' +
    'fill="#1f5fbf"/>',
  http_request: '<path d="M6 16h26v-8l12 12-12 12v-8H6zM42 36H6v4h36z" fill="#1f5fbf"/>',
} as const;
/** The same drawings as PNG, in base64. */
const RENDERED: Partial<Record<IconName, string>> = {
  gateway:
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAMAAABg3Am1AAABaFBMVEUAAAAAAP8cVcYaZswfXMIZWr0fXcEeWsMbXsMa' +
    'XL4eW8IdXb8bYL8eXr8dYL8eX74dXr4fXr8eXcAeXr8dXb8eXb8dXr4dXb8eXr8eXr4eXr8eXr8eXr8eX78fXr4eXr8f' +
    'X78eX74eXr4eX78eX74fXr4fXr4eXr8fX78fX74fX78eXr8eXr4fXr5hjtKpwuf8/f5ul9UqZ8KBpduDptusxOfS3/Im' +
    'ZMFXh89rldU1b8Uwa8T///+LrN4fX7/X4/RUhc5Qgs12ndjH1++6zuuat+K1yury9vza5PV7odksaMIpZsKQsN+Ep9y+' +
    '0OxgjdH6+/3U4PNci9BlkdN4n9gnZcEhYL/A0u3x9fvF1e6FqNx5n9k3cMaPr99ok9SOrt8gYL9vmNZymtfZ5PR8odlx' +
    'mtZtltXi6vb5+/3q8Pm0yerp7/mNrt690OzT3/N0nNedueN9otooZcHh6faZtuJejNGUs+EvasOYt2TFAAAALnRSTlMA' +
    'AQkKGR8hIiYnKiw4TFheYmRlZ2hwgoOIoqOosLS1uL/ExdLU4OHm5+jv8/T5LxMrrgAAAZ5JREFUeNrt1tdTwkAQBvC1' +
    '9y6KFcTesaN+rgr23vuJYu+K7d/34WAgyUWSUd/8Xsjt7m+SITO5IyIiorzy2hb+Js01ZXkUS7qHLcSTHp0vamdLaS+U' +
    '86VsOaVERBkd1kFHBlGSh22kLolyFeXPjdDBQWhjVNHKJYe+tH2/jkgex7b1XQdV6yrHd4jL3bGuXUWt2sIAAGDwdnp6' +
    '5hEA0K3tN5JmeTQOADiXqxcAwPqIZkQDwnPyQYRcCrk6WzQFK8DeqogHomsWeDAD88DaJMdAEAiyzwscqkH4Bnhh1t6B' +
    'uQ+4GVICP3B1YgQ7r8CFEqwAp2wE/ARMqUCvF9dDKrAQaeiBD9hlFeB9YEIBeoA3NXgGhhVgGVhSgw+gXwGibSOIVX4M' +
    'AkIIEYj8xq4CpsA8vwVsP9Lf/0v/4LfBe/x7Nb7pgHjXgk0kzGYEyI/xZWJwyczMreSSm8KWSBC/3Cpc5GRbcVK+PZBP' +
    'KfV25huSiXI6rc93ZhORcVs0j0MeBUosHh3aCqKHjTS3lXl3atx5JrOoovG74abK4iw5+QUH8DOE+q8bRQAAAABJRU5E' +
    'rkJggg==',
  notes:
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAMAAABg3Am1AAAAvVBMVEUAAAAAAP8cVcYaZswfXMIZWr0fXcEeWsMbXsMa' +
    'XL4eW8IdXb8bYL8eXr8dYL8eX74dXr4fXr8eXcAeXr8dXb8eXb8dXr4dXb8eXr8eXr4eXr8eXr8eXr8eX78fXr4eXr8f' +
    'X78eX74eXr4eX78eX74fXr4fXr4eXr8fX78fX74fX78eXr8eXr4fXr7q8PllkdN4n9gfX78nZcF2ndjH1+9qldSbuOOP' +
    'r9+Ort9sltWdueOcuONejNH///9tltWMBTkPAAAALnRSTlMAAQkKGR8hIiYnKiw4TFheYmRlZ2hwgoOIoqOosLS1uL/E' +
    'xdLU4OHm5+jv8/T5LxMrrgAAATZJREFUeNrtlntPwjAUxS/yFAFFmfJQwQECAs4iUB7bvv/HgjLXdXdLe0lIjInnry49' +
    'v7Q9a24vwEnVp9cx02j08liFSAWbEWQXQn99ykia3gX+BiOrIfzFGR2YFQEyNjtDbxmoRF8ux3ITRAUsOXa8pNYYsOBZ' +
    'jnkK4O0Q0IGJCixjG1oKYh8HhsBUgMcmedoaZgAROmDjeZs93pUJYDu0hmFLxxQ+4+kSziC0IgHbCOAkYPEl/wcNSJ34' +
    'DcBNXHA9gC+5YwJ8BPgmIMzyR9+L/5T+WEouEXDUfCiAr+ZDAWRKIp+LHFpTjJWiLIEJdPXlHpeZLjQl4GsAGUATaoky' +
    'lKIogBpk++c8ioMrgJs53T8vi4faogNW0Ao8EFuHj9uw2cj3KP5eTulnSvXWUGd+b99fB84DaNe8w0t2hxUAAAAASUVO' +
    'RK5CYII=',
};

type IconName = keyof typeof DRAWINGS;

/** The icon in the metadata of a server. */
export function iconsOf(publicUrl: string, name: IconName): readonly Icon[] {
  const src = `${publicUrl}/icons/${name}`;
  const drawn = { src: `${src}.svg`, mimeType: 'image/svg+xml', sizes: ['any'] };
  if (RENDERED[name] === undefined) return [drawn];
  return [drawn, { src: `${src}.png`, mimeType: 'image/png', sizes: [`${SIZE}x${SIZE}`] }];
}

export function mountIcons(app: FastifyInstance, names: readonly IconName[]): void {
  for (const name of names) {
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}">${DRAWINGS[name]}</svg>`;
    mountIcon(app, `${name}.svg`, 'image/svg+xml', Buffer.from(drawing));
    const rendered = RENDERED[name];
    if (rendered) mountIcon(app, `${name}.png`, 'image/png', Buffer.from(rendered, 'base64'));
  }
}

/** Any page may embed it; opened directly, the SVG may load and run nothing. */
function mountIcon(app: FastifyInstance, file: string, type: string, bytes: Buffer): void {
  app.get(`/icons/${file}`, (_request, reply) =>
    reply
      .header('content-type', type)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('x-content-type-options', 'nosniff')
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('cache-control', 'public, max-age=86400')
      .send(bytes),
  );
}
