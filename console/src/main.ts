/** Loads the console, and the screen of the address beside it: neither waits for the other. */
import { screenAt } from './screens';

void import('./console');
// The console says that this failed when it asks for the screen itself.
screenAt(location.pathname)?.().catch(() => undefined);
