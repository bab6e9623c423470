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
/** The same drawings, rendered. */
const RENDERED: Partial<Record<IconName, string>> = {
  gateway:
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAYAAABXAvmHAAAEl0lEQVR4nOyae0xbVRzHv+e2pTAGY2M8XIUyDQtxAyIu' +
    'ijN2AxPnonEaE/8gPNzilqmJj/iKfxijxj9x8xE1iyaEVucjMfOROGekGyRuGmXYMgUNSgvCBhsigxXo43jOZW1uaQvn' +
    'tmVtNz5Jk98953fu/f3u/f3O+d17qkUEihut91CKWyRCq0BIFWsqxGWEXXsYBJ2U0k4C8pOztebrcHpkfoOx4fh6SrwW' +
    'QsgWJBHMkR8I1dQ7zFv/VrZLygNjo/VhSny2ZDOew23ithU1tu0OavcLRQ3WfZKEd5EC+Hx4ZMBc8x6XZQeK6zqug9bN' +
    '73wmUgAWTlPw6CqcH93+FwshSpjx5lQxniPbqnO3ctuJ4SFrtZbiBOJETqYW5euzkL9Kj9xsndx2fsKNkf9m0N0/iX8n' +
    '3YgXHoJbtRovqoNTWT3paRL27ijC9qo8bDSuXFCXO3Hkl1G8/+0Apmd9iAVuO2Hz/WFCsBNRsmNzHl6uL0V+TpqqcSPj' +
    's3jJ8ie++XkU0cLWik+IsantDIuqAkRB854yPHBb6Ppm778A58g0hsam5WNDbjqK8zKwqST06XzacQbPfdCDqKDUwRyw' +
    'UqikcLUeLU9XoOza0Lx/sfUPmNuGwo5rvMOAVxpKQ9pPOyaxa79NfipqUR39GSzezc9UhjWek5sdOZTWZOnCtvO8sTxb' +
    'iRV6DdSi2oF3HtuIUsMKWZ646MGu1204cLgfauFjdu+344LLKx9vMGTi7UdvgFpUOVBfuw41lbmy7Pb40NRsg9U2Jjye' +
    '0mC57dfz2POGHV7fXEctO3fdtnVQg7ADPHSe2FkSOH71UB9O9U1ADYSEyid7xvHax32B9qfuL4FeJ35fhTXvrS5A3qq5' +
    '+B4YdbFE/QfxouW7QTZruWSZX+Pum/OExwo7cNdNawNy8+f9QeEQKzyC3vrKETjma4soQg5kpmtgKl8jy7Ms9mNZfCJx' +
    'hJ3Tnwtb2bVEw0hIq7wkCxppLmhP/D6OGXdsJUA4+Gz0I8sHTppWQgWrp0QQcqBAUSb0Dk5hqehRnLsgRy80RiuilK84' +
    'mWvWi6XCpSjuCleL1VZCDvAc8BPP5J0PX1v8rMwQMi3WQjrxiLmpoLosB0/eVxLStlC/qJ6yX5SoHFjoQov1q9VbjKsv' +
    'hHjtcvLSfO1HeTfD9YvqRfNUonJgfvnMY1lpWKTyejE9Zb8oKR9Cyw4kmmUHEs2yA4nmyl6J+avdjddnqyrC4lXM+fv5' +
    'l4/j9sifbiJ+Wryzai0OPr4JycDeN7txtPNc2D6+wXE2XEe6LnmiK7It9KyWUtLFPjJtn9919NQ5vNDSK/xuulQMj83I' +
    'toSD285zoIv9Qhzgmw+Hjg0jyemSqCQ7kJJw2yVvWtaXLIvtSDEo6Gk6pf9CGjq4+SL1oY4FlPrdhUTBbfVoHxz8bItL' +
    'Tm+2adzNEuJ5pAjcVueHpt+4HJifnOaaA+ybzz72m0TyMs5Cp4nb6m8I+bPHNXXfG9N0UgsTtyG5OAavps5hMQVNjSSS' +
    'tqGxY4MWHhPz2MSUTGxHwojLCaVOCtLONuPbPdTXPmSp7Q2n9j8AAAD//1njy6oAAAAGSURBVAMAB7GpQOYwgcAAAAAA' +
    'SUVORK5CYII=',
  notes:
    'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAYAAABXAvmHAAADWElEQVR4nOyZT0gUURzHf2+cNakoicLy39pfKjJIilah' +
    'VTvopUOnoCW3UBG7RLfoUIfqnnQppEJc00OHOtQho9Y/UCKhS1kkpOkmLqGIWm2p67zeb2BrV2fcmXnjuAP7gWFn3ry3' +
    '8/vN+/2+7817IqiQ7/WfohSOC4QWASFFrGg7WAh7dggI9FFK+wiQ3mBz+TOlemRpgbOqcycliy2EkBJIIpgjbwhNOzfq' +
    'K/0aWy7EXji9/lpKpPfJZjyCNqFted7X1XHl0ZO8Kn+9IMBdsAGSBBe/+crv4bnsQL6nexeIC/jmN4ANYOH0CyKOw8HW' +
    'E8MshChhxvvsYjwi2+pYaEbbSc4Fv0uk8FZLw9LCLXBk9ybgpX9oFjo/TAEvEQLFYtoiuOJTWZmKoq3QeOkQmMX9F2Nw' +
    'q+0L8IC2CywLyrRUPpi/EcyktjIXrnv2ABcEXCIh1KUwHKxIz+dp+dCLa3+mfESprsjFAQtuGuwJAtQlsp8s0Aka3/B0' +
    'BPRy+XRBnANIDesJwt7fjVYDThDiFCEJwJ5AjDihIX3NA8Mlyu0nI/CAJXIUdOLaWf05YakDS8HYf9j+34kaA4ltaQiR' +
    'GK0oPpDJrgtgNhyBiZl52LY5XS7HnpBYT2mV2DXLgaWKFAtKbP/QDDzvnUj0N9aG0FAorLnu3mxtMxtLe+Bl/yRcbRqE' +
    'rMx1ivdX6hU1LHXgz7wEbR0h1ftK40Qi1lSFzMD2DpgSQkan2WZMq7kd4J1m190ZgPa+STAKtwMZDr4o5G3P7UB7Amlc' +
    'idDUnNyeB24HEknjapNSISSlQikV4iClQpykVAhJpEJmLSUqYZkK8aqNGpapEK/aqGGJCpmhNmrYXoWYA/S73vVR/G7F' +
    '71ez0fs9jLaLlJIAW3Cq1NPMyOrBaoC2Y2YFtFQe1rGmYwYanxcQqQABQhPX5Jky6EVr0su2Z9e9Wy/O/ehhy5aFYCMo' +
    '0I9SOOOYMN54NEwl8LCAmge7gLZGxDNjj0t+y6ML2zQeYAlxBWwC2hp85P6E5/+Gx6CvvIFtQNSz4yckL9MsdM6jrdGC' +
    'Zbt7OzyvnOkOoYmdlkFy0QGLaZ7RFnfcqKm6PZnj7d4nQsTNPHazSm7cUAMroTRIgXSxzfiuCJW6xltODipV+wsAAP//' +
    '6b1tOQAAAAZJREFUAwAyBVc1ScKWHwAAAABJRU5ErkJggg==',
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
