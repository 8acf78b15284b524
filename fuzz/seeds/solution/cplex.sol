<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>
<CPLEXSolution version="1.2">
 <header
   problemName="demo.mps"
   objectiveValue="29.5"
   solutionTypeString="primal"
   solutionStatusString="integer optimal solution"
   MIPNodes="0"/>
 <quality
   epInt="1.0000000000000001e-05"/>
 <linearConstraints>
  <constraint name="c1" index="0" slack="0"/>
 </linearConstraints>
 <variables>
  <variable name="x" index="0" value="3"/>
  <variable name="y&#91;1,2&#x5D;" index="1" value="0"/>
  <variable name="a name" index="2" value="2.5"/>
  <variable name='z' index='3' value='-4'/>
 </variables>
</CPLEXSolution>
