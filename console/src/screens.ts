/** The files of all screens but sign-in, which are loaded when they are opened. */
import type { ReactNode } from 'react';

export interface Screen {
  readonly default: () => ReactNode;
}

/** By their addresses below `/console`, of which the first counts that fits. */
export const SCREENS = {
  '/': () => import('./overview/overview-screen'),
  '/usage': () => import('./usage/usage-screen'),
  '/keys': () => import('./keys/keys-screen'),
  '/network': () => import('./network/network-screen'),
  '/access': () => import('./access/access-screen'),
  '/catalogue': () => import('./catalogue/catalogue-screen'),
  '/catalogue/$datasetId': () => import('./catalogue/dataset-screen'),
  '/explorer': () => import('./explorer/explorer-screen'),
  '/option-chains': () => import('./option-chain/option-chain-screen'),
  '/team': () => import('./team/team-screen'),
  '/profile': () => import('./profile/profile-screen'),
  '/choose-password': () => import('./session/choose-password-screen'),
  '/home': () => import('./administration/home-screen'),
  '/alerts': () => import('./alerts/alerts'),
  '/accounts': () => import('./administration/accounts-screen'),
  '/accounts/$accountId': () => import('./administration/account-screen'),
  '/plans': () => import('./administration/plans-screen'),
  '/plans/$planId': () => import('./administration/plan-screen'),
  '/people': () => import('./administration/people-screen'),
  '/access-requests': () => import('./administration/access-requests-screen'),
  '/publications': () => import('./administration/publications-screen'),
  '/publications/history': () => import('./administration/history-screen'),
  '/publications/$publicationId': () => import('./administration/publication-screen'),
  '/coverage': () => import('./heat-map/coverage-screen'),
  '/usage-by-month': () => import('./administration/monthly-usage-screen'),
  '/audit-log': () => import('./administration/audit-log-screen'),
  '/requests': () => import('./administration/requests-screen'),
} as const satisfies Readonly<Record<string, () => Promise<Screen>>>;

export type ScreenPath = keyof typeof SCREENS;

/** The screen at a path of the server; undefined where there is none, or none to load. */
export function screenAt(pathname: string): (() => Promise<Screen>) | undefined {
  return Object.entries(SCREENS).find(([path]) => {
    const below = path.slice(1).replaceAll(/\$\w+/g, '[^/]+');
    return new RegExp(`^${import.meta.env.BASE_URL}${below}/?$`).test(pathname);
  })?.[1];
}
