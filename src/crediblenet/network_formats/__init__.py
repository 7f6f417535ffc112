"""Networks in the files and objects of other programs.

===================  =================================================================
`bif`                Bayesian interchange format (bnlearn, pgmpy, pyAgrum, ...)
`xmlbif`             the same in XML, version 0.3
`dot`                Graphviz
`graphml`            GraphML, through networkx
`bnlearn`            R bnlearn's model strings and its table of arc strengths
`pgmpy_models`       pgmpy's networks
`pyagrum_models`     pyAgrum's networks
===================  =================================================================

Files are untrusted input: what is wrong in one is an error that says where.
"""
