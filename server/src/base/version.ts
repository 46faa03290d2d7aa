/** The release's version, read from the package it runs from. */
import { readFileSync } from 'node:fs';

const packageFile = new URL('../../package.json', import.meta.url);

export const SERVICE_VERSION: string = JSON.parse(readFileSync(packageFile, 'utf8')).version;

/** Version of the interface that the OpenAPI document describes. */
export const INTERFACE_VERSION = '0.5.1';
