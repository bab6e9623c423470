/**
 * What the servers that the decoys can claim to be answer, byte for byte but for the date: captured from
 * nginx 1.22 and a program of Go 1.19 of Debian 12; for Uvicorn and Ollama from their published source.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CLAIMED_SERVERS, type ClaimedServerName } from '../../src/core/config/persona-choice.ts';
import { sendBytes, startDecoys, type TestDecoys } from './support.ts';

const GO_404 =
  'Content-Type: text/plain; charset=utf-8\r\nX-Content-Type-Options: nosniff\r\nDate: -\r\nContent-Length: 19\r\n';
const goRefusal = (line: string, body = line) =>
  `HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${body}`;
const GO_BAD = goRefusal('400 Bad Request');
const nginxPage = (line: string) =>
  `<html>\r\n<head><title>${line}</title></head>\r\n<body>\r\n<center><h1>${line}</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n`;
const nginx = (line: string, connection = 'close') =>
  `HTTP/1.1 ${line}\r\nServer: nginx/1.22.1\r\nDate: -\r\nContent-Type: text/html\r\nContent-Length: ${nginxPage(line).length}\r\nConnection: ${connection}\r\n\r\n${nginxPage(line)}`;
const UVICORN_BAD =
  'HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n\r\nInvalid HTTP request received.';

const MISS = 'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const OLD = 'GET /nothing HTTP/1.0\r\n\r\n';
const HTTP09 = 'GET /nothing\r\n\r\n';
const TWO_HOSTS = 'GET /nothing HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n';
const NO_HOST = 'GET /nothing HTTP/1.1\r\n\r\n';
const EXPECT = 'GET /nothing HTTP/1.1\r\nHost: x\r\nExpect: foo\r\nConnection: close\r\n\r\n';
const LOWER = 'get /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const HTTP2 = 'GET / HTTP/2.0\r\nHost: x\r\n\r\n';
const CODING = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: foo\r\n\r\n';
const ASTERISK = 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const ROOT = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
const GO_MISS = `HTTP/1.1 404 Not Found\r\n${GO_404}Connection: close\r\n\r\n404 page not found\n`;
const OLLAMA_MISS =
  'HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nDate: -\r\nContent-Length: 18\r\nConnection: close\r\n\r\n404 page not found';

const captures: Record<ClaimedServerName, readonly (readonly [bytes: string, answer: string])[]> = {
  go: [
    [MISS, GO_MISS],
    [OLD, `HTTP/1.0 404 Not Found\r\n${GO_404}\r\n404 page not found\n`],
    [HTTP09, GO_BAD],
    [TWO_HOSTS, GO_BAD],
    [NO_HOST, goRefusal('400 Bad Request: missing required Host header')],
    ['GET / HTTP/1.1\r\nHost: a b\r\n\r\n', goRefusal('400 Bad Request: malformed Host header')],
    [
      'GET / HTTP/1.1\r\nHost: x\r\nA B: c\r\n\r\n',
      goRefusal('400 Bad Request: invalid header name'),
    ],
    ['GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n', GO_BAD],
    ['GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n', GO_BAD],
    ['GET / HTTP/1337\r\nHost: x\r\n\r\n', GO_BAD],
    [HTTP2, goRefusal('505 HTTP Version Not Supported: unsupported protocol version')],
    [CODING, goRefusal('501 Not Implemented', 'Unsupported transfer encoding')],
    [
      EXPECT,
      'HTTP/1.1 417 Expectation Failed\r\nConnection: close\r\nDate: -\r\nContent-Length: 0\r\n\r\n',
    ],
    [LOWER, GO_MISS],
    [ASTERISK, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nDate: -\r\nConnection: close\r\n\r\n'],
  ],
  nginx: [
    [MISS, nginx('404 Not Found')],
    [OLD, nginx('404 Not Found')],
    [HTTP09, nginxPage('404 Not Found')],
    [TWO_HOSTS, nginx('400 Bad Request')],
    [NO_HOST, nginx('400 Bad Request')],
    [HTTP2, nginx('505 HTTP Version Not Supported')],
    [CODING, nginx('501 Not Implemented')],
    [EXPECT, nginx('404 Not Found')],
    [LOWER, nginx('400 Bad Request')],
    ['GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n', nginx('400 Bad Request')],
    [
      'GET /nothing HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
      nginx('404 Not Found', 'keep-alive'),
    ],
  ],
  ollama: [
    [
      ROOT,
      'HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nDate: -\r\nContent-Length: 17\r\nConnection: close\r\n\r\nOllama is running',
    ],
    [MISS, OLLAMA_MISS],
    [LOWER, OLLAMA_MISS],
    [TWO_HOSTS, GO_BAD],
  ],
  vllm: [
    [
      MISS,
      'HTTP/1.1 404 Not Found\r\ndate: -\r\nserver: uvicorn\r\ncontent-length: 22\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"detail":"Not Found"}',
    ],
    [LOWER, UVICORN_BAD],
    ['AAAA\r\n\r\n', UVICORN_BAD],
  ],
};

for (const server of CLAIMED_SERVERS) {
  describe(server, () => {
    let decoys: TestDecoys;
    before(async () => {
      decoys = await startDecoys({ persona: { server } });
    });
    after(() => decoys.close());

    for (const [bytes, answer] of captures[server]) {
      test(`${JSON.stringify(bytes.slice(0, 60))} is answered as it does`, async () => {
        const got = await sendBytes(decoys.port, bytes);
        assert.equal(got.replace(/(date): [^\r]*/i, '$1: -'), answer);
      });
    }
  });
}

test('the headers of decoys are in the order of the claimed server', async () => {
  const orders = {
    go: [
      'Accept-Ranges',
      'Cache-Control',
      'Content-Type',
      'Etag',
      'Last-Modified',
      'Date',
      'Content-Length',
      'Connection',
    ],
    nginx: [
      'Server',
      'Date',
      'Content-Type',
      'Content-Length',
      'Last-Modified',
      'Connection',
      'ETag',
      'Cache-Control',
      'Accept-Ranges',
    ],
  };
  for (const server of ['go', 'nginx'] as const) {
    const decoys = await startDecoys({ persona: { server } });
    const answer = await sendBytes(decoys.port, MISS.replace('/nothing', '/.env'));
    const [head = ''] = answer.split('\r\n\r\n');
    assert.deepEqual(
      [...head.matchAll(/^([^:\r\n]+): /gm)].map(([, name]) => name),
      orders[server],
    );
    await decoys.close();
  }
});
