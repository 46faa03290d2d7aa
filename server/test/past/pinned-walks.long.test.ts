import { describePinnedWalks } from './pinned-walks.ts';

describePinnedWalks(Number(process.env.TICKLAKE_PINNED_WALKS));
