import { LandingPage } from './landing-page';
import { SiteBar } from './site-bar';
import { startPage } from './start-page';
import './landing.css';

startPage('bar', (config) => (
  <>
    <SiteBar config={config} />
    <LandingPage config={config} />
  </>
));
