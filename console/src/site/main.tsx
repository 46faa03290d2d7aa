import { LandingPage } from './landing-page';
import { SiteBar } from './site-bar';
import { startPage } from './start-page';

startPage('root', (config) => (
  <>
    <SiteBar config={config} />
    <LandingPage config={config} />
  </>
));
