/** What a page of the documentation has beyond its text, which was written when the console was built. */
import { SiteBar } from '../site/site-bar';
import { startPage } from '../site/start-page';
import { addCopyButtons } from './copy-code';
import { DocumentationSearch } from './documentation-search';
import './documentation.css';

addCopyButtons(document);
startPage('bar', (config) => (
  <SiteBar config={config}>
    <DocumentationSearch />
  </SiteBar>
));
