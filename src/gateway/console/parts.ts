/** What the pages of the console are made from. */

import type { Session } from '../../console/browser-session.ts';
import type { SignInsPageParts } from '../../console/sign-ins-page.ts';
import type { RecentCalls } from '../../core/recent-calls/recent-calls.ts';
import type { LastUses } from '../../core/store/last-uses.ts';
import type { WaitingApproval } from '../approvals/pages.ts';
import type { ActiveConfig } from '../config/active-config.ts';
import type { MintedSecret } from '../config/minted-secret.ts';

export interface GatewayConsoleParts extends SignInsPageParts {
  readonly active: ActiveConfig;
  readonly recent: RecentCalls;
  readonly keyUses: LastUses;
  readonly tokens: { remainingMs(user: string, secret: MintedSecret): number | undefined };
  readonly approvals: (session: Session) => Promise<readonly WaitingApproval[]>;
}
