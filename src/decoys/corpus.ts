/** The requests that show that each decoy file works, one line each. */
import type { Question } from './kit/decoy.ts';

type FileQuestion = Question & Required<Pick<Question, 'tag'>>;

const TOKEN = /hp_live_[a-z2-7]{32}/;
const AWS_KEY = /AKIA[A-Z2-7]{16}/;

export const FILE_CORPUS: readonly FileQuestion[] = [
  { tag: 'dotenv-file', target: '/.env', expect: /^DB_PASSWORD=[a-z2-7]{32}$/m },
  { tag: 'cloud-config', target: '/.aws/config', expect: /^\[default\]\nregion = / },
  { tag: 'cloud-config', target: '/.docker/config.json', expect: TOKEN },
  { tag: 'cloud-config', target: '/.npmrc', expect: /:_authToken=hp_live_[a-z2-7]{32}$/m },
  { tag: 'cloud-config', target: '/.pypirc', expect: /^password = hp_live_[a-z2-7]{32}$/m },
  { tag: 'cloud-config', target: '/.kube/config', expect: /^ {4}token: hp_live_[a-z2-7]{32}$/m },
  { tag: 'cloud-config', target: '/.git-credentials', expect: TOKEN },
  { tag: 'ssh-files', target: '/.ssh/authorized_keys', expect: /^ssh-ed25519 AAAA/ },
  { tag: 'ai-assistant-config', target: '/.mcp.json', expect: TOKEN },
  { tag: 'ai-assistant-config', target: '/.claude.json', expect: TOKEN },
  { tag: 'ai-assistant-config', target: '/.claude/CLAUDE.md', expect: /^# .+ monorepo$/m },
  { tag: 'ai-assistant-config', target: '/.codex/config.toml', expect: TOKEN },
  { tag: 'ai-assistant-config', target: '/.codex/auth.json', expect: TOKEN },
  { tag: 'spring-actuator', target: '/actuator/env', expect: AWS_KEY },
  { tag: 'api-description', target: '/openapi.json', expect: TOKEN },
  { tag: 'api-description', target: '/swagger-ui.html', expect: /<title>Swagger UI<\/title>/ },
  { tag: 'wordpress', target: '/wp-login.php', expect: /id="loginform"/ },
  { tag: 'wordpress', target: '/wp-config.php.bak', expect: /'DB_PASSWORD', '[a-z2-7]{32}'/ },
  { tag: 'php-tools', target: '/phpmyadmin/', expect: /name="pma_username"/ },
  { tag: 'php-tools', target: '/phpinfo.php', expect: AWS_KEY },
  { tag: 'php-tools', target: '/server-status', expect: TOKEN },
  { tag: 'ai-service', target: '/model/info', expect: TOKEN },
  { tag: 'ai-service', target: '/rest/settings', expect: /"versionCli":"/ },
  { tag: 'ai-service', target: '/collections', expect: /"collections":\[\{"name":"/ },
  { tag: 'ai-service', target: '/api/v1/flows/', expect: TOKEN },
  { tag: 'ai-service', target: '/api/v1/collections', expect: /"log_position":0/ },
  { tag: 'kubernetes-api', target: '/version', expect: /"gitVersion": "v1\./ },
  { tag: 'kubernetes-api', target: '/api/v1/secrets', expect: TOKEN },
  { tag: 'operations-console', target: '/grafana/login', expect: /<title>Grafana<\/title>/ },
  { tag: 'operations-console', target: '/api/json', expect: /hudson\.model\.Hudson/ },
  { tag: 'home-file', target: '/.bashrc', expect: TOKEN },
  { tag: 'home-file', target: '/web.config', expect: /Password=[a-z2-7]{32}"/ },
  { tag: 'project-file', target: '/docker-compose.yml', expect: TOKEN },
  { tag: 'project-file', target: '/backup.sql', expect: TOKEN },
];
