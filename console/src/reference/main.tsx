import { SiteBar } from '../site/site-bar';
import { startPage } from '../site/start-page';
import { ReferencePage } from './reference-page';

startPage('root', (config) => (
  <>
    <SiteBar config={config} />
    <ReferencePage />
  </>
));
