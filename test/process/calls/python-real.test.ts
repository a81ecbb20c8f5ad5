/** The Python call script against real servers from npm. */
import { describe } from 'vitest';
import { describeRealServers } from '../../support/call-servers/real-servers.ts';
import { python } from './python-runtime.ts';

describe('Python call script', () => describeRealServers(python));
