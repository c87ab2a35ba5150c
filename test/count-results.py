# Adds up the JUnit files of several test runners into 'N passed, N failed'.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: count-results.py STATUS FILE...

STATUS is 0 if every runner said that all was well. Skipped tests count as neither. The exit status is 1 when a test
failed, when a runner failed in another way, or when nothing passed at all.
"""
import sys
import xml.etree.ElementTree

runners_failed = sys.argv[1] != "0"
passed = failed = skipped = 0
for file in sys.argv[2:]:
    for case in xml.etree.ElementTree.parse(file).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            skipped += 1
        else:
            passed += 1
# A runner can fail without a failed test: nothing found, a test program that could not start.
if runners_failed and failed == 0:
    failed = 1
if skipped:
    print(f"{skipped} not run here")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
