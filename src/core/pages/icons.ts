/**
 * The icons of the servers and of the gateway's tools, which MCP clients show beside their names:
 * `/icons/<name>.svg`, and of the servers `.png` as well, which every client can show.
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
    '<rect width="48" height="48" rx="10" fill="#0f4c5c"/><path d="M9 40V22a15 15 0 0 1 30 0v18h-6V22' +
    'a9 9 0 0 0-18 0v18z" fill="#fff"/><path d="M21 22h6v18h-6z" fill="#e8a33d"/>',
  notes:
    '<rect width="48" height="48" rx="10" fill="#0f4c5c"/><path d="M12 8h18l8 8v24H12z" fill="#fff"/>' +
    '<path d="M30 8v8h8zM17 22h16v3H17zM17 28h16v3H17zM17 34h10v3H17z" fill="#e8a33d"/>',
  list_targets:
    '<path d="M6 10h6v6H6zM6 21h6v6H6zM6 32h6v6H6zM17 11h25v4H17zM17 22h25v4H17zM17 33h25v4H17z" fill' +
    '="#3b8ea5"/>',
  http_request: '<path d="M6 16h26v-8l12 12-12 12v-8H6zM42 36H6v4h36z" fill="#3b8ea5"/>',
} as const;
/** The same drawings, rendered. */
const RENDERED: Partial<Record<IconName, string>> = {
  gateway:
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAYAAABXAvmHAAAENElEQVR4nOyaf2yTRRjHv/e2tpWt3RgmAyMOgVWJrkIJODQu' +
    'UwxI203NJiZtNcaNMJMRxZiYGDVgNGIIUaeJkBh/wGYCogKFwYxBsj8EhxlknRtsuLllbO2MuLVsdN26496GkWVcyb1vCW2T' +
    'fpK+fd/nnrv3+V7v3h/3VIsYGG0uB5HwCECsoLASgrm4jVCKAfbVLH8opU3B+rrDPD8y02AoefE+3SStZQE/iiSCCfo9LBF3' +
    'yLOne7pdM/3AaHNX3kHoQULIIiQZrEPna0ErdPkWf7jTe2bKfl1AlsNVxQLfxVx1SFqIjsX4jMFc4B/r8P4ZtcibLLtzISC1' +
    'sKMMpAIUI8CkZfjI910SOyQU0p6UCV6GxUpBdst7xLTOVUg05CRSEBqhq7SQUIhbQHZmBp5cVoAnlj2EJffeg9ycbNxlMkbL' +
    '/h0OwH9pCK3dvWj0tuF4sxfDI6OIGxY7MdldB+SJAZVk3mnAO+5yVNqfglajEaozEYlgp+cXfFT3I0ZCY1ALBd1LTA6Xj4Dk' +
    'QgWOwuWo2VSJHFMm1DA4NIxNNV+h4fRZqILSHo3B/PB2qGDz8yX4rPoVzDLooZYMgwFlj6/C5VAIp89dgGIIyWYCLFugkB2v' +
    'vozN5SWsPkG8yG2sthZE59CvzS1QiqTQH9XPrkOFbTVuNVWla6MfpWiVOK9dsRQfVDhv6uNlV5rfzrSiqb0DTdeGxcoHFmPl' +
    'EnO0px9cMD9m3W0b3DjXexEnzrZCFJLlcFMRx1l6PVq//oRNWCO3fGx8HB/W7sfnPx9lc4vfpDxcXiuz421XGXRaft/5/x+C' +
    'peKNaHsiCA+hjaVrYgbf0deP4tffQ81P9TGDl5HLPt1/mPm+iwsXfVyf3NnZ2MAuyaIIC6gqWcO1h8JhrN+6A+29fRClracP' +
    '5Vu2Izw+wS2vfs4GUYQEWPMXRnuGx9bv9uEf3yCUItd5f/c+btlcdhdfumgBRBASUPrYCq79j/ZOfHmoAWr54sBRnGrrgJJz' +
    'zkRIwHIz//1mp0d98FN8c+w41241i71TCV1G754zm2vv7vcjXroG/IrOORMhAfNiNPZ3vw/x0hWjE+bNyYEIQgLkewCP4JUQ' +
    '137+hR6u/f69eTfY/gsEub5G9pQrguJHiWQjLSDRpAUkmrSARJMWkGjSAhJNWkCiSQtINBJb4Y3/tSpByLFLbKtyaTgJYLGT' +
    'LLt7G0vZvIVUhOJjNoQmU/YXkGOXAlLwEFvz8yLFYOP/r8Cl8YMSPJ7RCCQnM4SRIsixTkawHid/uBJNaoU7Wwb1+ZbLbPX4' +
    'aaQCFG8G6+s88u71rNxYp/eUYbHFx7LGxUmcrR9ia98bA0fqdk0Zbvyzh82Zp5ekb9luMZKLEyxl4BxtqB2YboyZ5DLaXjKz' +
    'dH4RkWgRS+UXsexEHm4vvSyf0EgJGjFBGoPHas/znK4CAAD//30C+0kAAAAGSURBVAMA/5xUow1mRgkAAAAASUVORK5CYII=',
  notes:
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAYAAABXAvmHAAACWUlEQVR4nOyaT2sTURTFz30d04DEuqsupPin3RmwG6OL0J01' +
    'trgTTVI3CvoBxO/SnZikFVzVsaXuJAtbRFQaXGhAwU2NC6mJVpuYud5XaKnaaNKJefNgfpA3817ewDmZm7uYMw5aEEtlJkjh' +
    'NECjYIwS4RB6CDNW5fBcf5j5aW2h8HC3ffT7QnRy6mjE47wIPosAIYae1BVlv7u5dzvX+3ZOYqns9X3Ec0R0HAFDftAjDvha' +
    'ZDheqZdLL7bWtw0MTGRuivBp2RpBYKGIaLwYHTlZ2XhTera5ooeBC+ljgFqR2X7YAOMr4MU/z8+8VTIlhspZI14jWhl0V5/R' +
    'gfOZBPXREiyEm3zGgUICtiLaHTmMdXLNmptDN1icuY3Ls6vwBSGh9AADnPKWce/KYfhB/rwJRaBBGMK3CaIhBcP4NWHcgMaP' +
    'iUAY0OzVRGAMaPZiIlAGNJ2acGCIwWyx5XfjepidQjsE7g50SmjANKEB03SlC1XySfjhbx3pX4QlZJqulJCfEvBLWEKmCbuQ' +
    'acIS0oRdyAdhCWna7UL/o9TCEjKN/V2IwRVYitauZHwJWxHtjjyd1gbOtXvNwcn2ntf0Aq1dSsiz9g5o7aqqag8kRS7BMqT+' +
    'X1U/NeYUXHe9CZWWhTosQWv1mriEpfvfNoPuennlY/9w/IuEyOOwAcat2kLB1afbSf1GubQcPRH/IMHTWIDT+jUGblTnC9Nb' +
    'C3++7JFKD/UrdQcdppc94HGjgfT6o/wv0Sa12h1LXR2ROD9JipOSBiZ1oIbe8p6Zi0wo4gcVa4v517tt+gkAAP//24kv8QAA' +
    'AAZJREFUAwAVpL+Um+vcVQAAAABJRU5ErkJggg==',
};

export type IconName = keyof typeof DRAWINGS;

/** What a server says of an icon that it serves at its public URL. */
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

/** Any page may show it; opened by itself, it may load and run nothing. */
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
