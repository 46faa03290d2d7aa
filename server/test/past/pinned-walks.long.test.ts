import { describePinnedWalks } from './pinned-walks.ts';

describePinnedWalks(160);
