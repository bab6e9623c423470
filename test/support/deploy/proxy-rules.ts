/** What nginx.conf and the Caddyfile promise, told from their text alone. */
import { secondsOf } from './kubernetes-rules.ts';
import { Findings, IDLE_SECONDS, PORTS, PROGRAMS, same } from './names.ts';

const plain = (text: string) => text.replaceAll(/^\s*#.*$/gm, '');

export function nginxProblems(text: string): string[] {
  const found = new Findings();
  const conf = plain(text);
  const values = (name: string) =>
    [...conf.matchAll(new RegExp(`^\\s*${name} ([^;]*);`, 'gm'))].map(([, value]) => value!);
  for (const name of ['proxy_read_timeout', 'proxy_send_timeout']) {
    const list = values(name);
    found.check(
      list.length > 0 && list.every((v) => secondsOf(v) > IDLE_SECONDS),
      `${name}: ${list}`,
    );
  }
  const listens = values('listen');
  found.check(
    listens.length === 3 && listens.every((value) => value.startsWith('443 ssl')),
    `listens on ${listens}`,
  );
  found.check(same(values('proxy_buffering'), ['off']), 'events are held back');
  found.check(same(values('ssl_protocols'), ['TLSv1.2 TLSv1.3']), 'old TLS');
  found.check(same(values('client_max_body_size'), ['8m']), 'bodies are cut elsewhere');
  found.check(
    values('proxy_set_header').includes('X-Forwarded-For $remote_addr'),
    'the client can claim any address',
  );
  found.check(
    values('keepalive_timeout').every((value) => secondsOf(value) < 75),
    'connections are kept longer than the programs keep them',
  );
  for (const program of PROGRAMS) {
    const [site = ''] = conf.match(new RegExp(`server_name ${program}\\.[\\s\\S]*?\\n    }`)) ?? [];
    found.check(site.includes(`proxy_pass http://${program};`), `${program} is not passed on`);
    found.check(conf.includes(`server 127.0.0.1:${PORTS[program]};`), `${program}: its port`);
    const closed =
      /location = \/metrics {\s+return 404;\s+}\s+location \^~ \/metrics\/ {\s+return 404;/;
    found.check(closed.test(site) === (program !== 'decoys'), `${program}: its metrics`);
  }
  return found.list;
}

export function caddyProblems(text: string): string[] {
  const found = new Findings();
  const conf = plain(text);
  for (const line of ['admin off', 'auto_https disable_redirects', 'skip_install_trust']) {
    found.check(conf.includes(`\t${line}\n`), `${line} is missing`);
  }
  found.check(!conf.includes('flush_interval'), 'a client that hangs up is not noticed');
  found.check(!/response_header_timeout|read_timeout|write_timeout/.test(conf), 'calls are cut');
  const kept = /keepalive (\w+)/.exec(conf)?.[1] ?? '';
  found.check(secondsOf(kept) < 75, 'connections are kept longer than the programs keep them');
  found.check(!/header_up|trusted_proxies/.test(conf), 'the client can claim its address');
  const closed = /\(service\) {\s+@metrics path \/metrics \/metrics\/\*\s+respond @metrics 404/;
  found.check(closed.test(conf), 'the metrics are open');
  for (const program of PROGRAMS) {
    const name = program.toUpperCase();
    const [site = ''] = conf.match(new RegExp(`{\\$HOST_${name}:[^}]+} {[\\s\\S]*?\\n}`)) ?? [];
    found.check(
      site.includes(`reverse_proxy {$UPSTREAM_${name}:127.0.0.1:${PORTS[program]}} {`),
      `${program} is not passed on`,
    );
    const isService = site.includes('import service');
    found.check(isService === (program !== 'decoys'), `${program}: its metrics`);
  }
  return found.list;
}
