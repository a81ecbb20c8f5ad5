/** Who we are, as written into skills and told to servers. */
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
export const GENERATOR = `${manifest.name} ${VERSION}`;
