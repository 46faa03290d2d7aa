/** What the landing page says of whoever runs the server, and what it shows to anybody. */
import * as v from 'valibot';
import { legal } from '../schema/schema.ts';
import { anyText, choice, listOf, optionalSetting, setting, textOf } from '../schema/setting.ts';

function textUpTo(lengthMax: number) {
  const words = `a text of up to ${lengthMax} characters`;
  return v.pipe(v.string(), v.minLength(1), v.maxLength(lengthMax), legal(words));
}

const EMAIL = /^[^\s@:/?#]+@[^\s@:/?#]+$/;

/** As a link. */
const contact = textOf(
  'an e-mail address, or an address such as https://data.example.com/access',
  (text) => {
    if (EMAIL.test(text)) return `mailto:${text}`;
    const url = URL.parse(text);
    return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
  },
);

export const SITE_SETTINGS = {
  siteName: setting(
    'TICKLAKE_SITE_NAME',
    textUpTo(60),
    'Ticklake',
    'Name of the service on the landing page and beside the documentation.',
  ),
  siteText: optionalSetting(
    'TICKLAKE_SITE_TEXT',
    textUpTo(1000),
    'What the landing page says of the service; if unset, a sentence on what it is.',
  ),
  siteLogo: optionalSetting(
    'TICKLAKE_SITE_LOGO',
    anyText,
    "SVG or PNG file of up to 256 kB that is shown beside the name; if unset, the product's own.",
  ),
  siteContact: optionalSetting(
    'TICKLAKE_SITE_CONTACT',
    contact,
    'Where the landing page sends those who ask for access; if unset, it names nobody.',
  ),
  publicCatalogue: setting(
    'TICKLAKE_PUBLIC_CATALOGUE',
    choice('off', 'on'),
    'off',
    'Whether anybody may see which datasets there are, with their coverage, size and columns.',
  ),
  publicSamples: setting(
    'TICKLAKE_PUBLIC_SAMPLES',
    listOf(anyText, 'ids or text ids of datasets between commas'),
    [],
    'Datasets of the public catalogue of which anybody may see the first five rows of the first day.',
  ),
};
