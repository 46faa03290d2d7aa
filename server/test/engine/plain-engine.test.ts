import { describeEngine } from '../../src/engine/conformance/suite.ts';
import { plainEngine } from './plain-engine.ts';

describeEngine(
  'the plain engine',
  plainEngine(),
  { queriesMax: 3 },
  {
    scale: 1 / 20,
    share: 1 / 5,
  },
);
