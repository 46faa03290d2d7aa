import { repetitions } from '../repetitions.ts';
import { describePinnedWalks } from './pinned-walks.ts';

describePinnedWalks(repetitions('TICKLAKE_PINNED_WALKS', 5));
