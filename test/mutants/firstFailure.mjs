import fc from 'fast-check';

// Who wants to know whether a test fails needs no smallest example, for which it would run for many times as long.
fc.configureGlobal({ endOnFailure: true });
