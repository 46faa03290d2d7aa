import { describe } from 'vitest';
import { testKilledDownloads } from './killed-downloads.ts';

describe('with a store in the home', testKilledDownloads);
