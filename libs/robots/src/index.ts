export { type RobotsDecision, type RobotsFile, type RobotsPolicy, readRobots } from './robots-policy.ts';
export { MAX_ROBOTS_BYTES, robotsText } from './robots-text.ts';
