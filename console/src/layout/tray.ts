import type { ComponentType } from 'react';
import { Store } from '../api/store';

/** A part that stands on every screen, put here by code that is loaded later. */
export const tray = new Store<ComponentType | null>(null);
